package org.apache.kafka.common.test;

import java.util.Map;

/**
 * What the test kit of 4.4.0 asks for certificates. The class of that name needs Kafka's own tests, which no repository
 * serves for this release; the clusters here do not encrypt.
 */
public final class SslManager {
    public Map<String, Object> createSslConfig() {
        return Map.of();
    }

    public Map<String, Object> createClientSslConfig() {
        return Map.of();
    }

    public void close() { }
}
