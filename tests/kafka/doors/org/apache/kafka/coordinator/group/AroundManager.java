package org.apache.kafka.coordinator.group;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import kafkacheck.Members;
import kafkacheck.StandIn;

import org.apache.kafka.common.network.ClientInformation;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.RequestContext;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.controller.StandingClock;
import org.apache.kafka.coordinator.common.runtime.CoordinatorExecutor;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;
import org.apache.kafka.coordinator.common.runtime.CoordinatorResult;
import org.apache.kafka.coordinator.common.runtime.CoordinatorTimer;
import org.apache.kafka.coordinator.group.metrics.GroupCoordinatorMetricsShard;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.timeline.SnapshotRegistry;

/**
 * A GroupMetadataManager with its shard, and what surrounds it: the coordinator's runtime, which appends records to the
 * log, replays and commits them at once, the timers, and a clock. It decides nothing.
 */
final class AroundManager {
    private static final Object LOG_CONTEXT = Members.made(Members.type(
        "org.apache.kafka.common.utils.internals.LogContext", "org.apache.kafka.common.utils.LogContext"
    ), "");

    final StandingClock clock = new StandingClock();
    final List<CoordinatorRecord> log = new ArrayList<>();
    private final Map<String, Object> timers = new HashMap<>();
    private final Map<String, Task> tasks = new HashMap<>();
    private final GroupCoordinatorConfig config;
    SnapshotRegistry snapshots;
    private GroupMetadataManager manager;
    private GroupCoordinatorShard shard;

    /** What an executor is to do, what the coordinator does then, and the result, if it has done it. */
    private static final class Task {
        final CoordinatorExecutor.TaskRunnable<?> runnable;
        final Object operation;
        Object result;

        Task(CoordinatorExecutor.TaskRunnable<?> runnable, Object operation) {
            this.runnable = runnable;
            this.operation = operation;
        }
    }

    AroundManager(GroupCoordinatorConfig config) {
        this.config = config;
    }

    /** What the coordinator knows of a request besides its fields. */
    static RequestContext context(ApiKeys kind, int version) {
        RequestHeader header = new RequestHeader(kind, (short) version, "client", 0);
        return new RequestContext(
            header, "0", InetAddress.getLoopbackAddress(), KafkaPrincipal.ANONYMOUS, new ListenerName("listener"),
            SecurityProtocol.PLAINTEXT, ClientInformation.EMPTY, false
        );
    }

    GroupMetadataManager manager() {
        return manager;
    }

    /** A new coordinator, which reads the log. */
    void elect(MetadataImage image) throws ReflectiveOperationException {
        timers.clear();
        tasks.clear();
        Object configs = StandIn.of(GroupConfigManager.class, Set.of("groupConfig"), (name, given) -> Optional.empty());
        Object metrics = StandIn.of(
            GroupCoordinatorMetricsShard.class,
            Stream.of(GroupCoordinatorMetricsShard.class.getDeclaredMethods())
                .filter(each -> Modifier.isPublic(each.getModifiers())).map(Method::getName).collect(Collectors.toSet()),
            (name, given) -> null
        );
        Object timer = Proxy.newProxyInstance(
            AroundManager.class.getClassLoader(), new Class<?>[] {CoordinatorTimer.class}, (self, method, given) -> {
                if (method.getName().equals("cancel")) timers.remove(given[0]);
                else if (method.getName().equals("schedule")) timers.put((String) given[0], given[given.length - 1]);
                else if (method.getName().equals("scheduleIfAbsent")) {
                    timers.putIfAbsent((String) given[0], given[given.length - 1]);
                }
                return method.getReturnType() == boolean.class ? timers.containsKey(given[0]) : null;
            }
        );
        Object executor = Proxy.newProxyInstance(
            AroundManager.class.getClassLoader(), new Class<?>[] {CoordinatorExecutor.class},
            (self, method, given) -> {
                boolean was = tasks.containsKey(given[0]);
                if (method.getName().equals("schedule")) {
                    tasks.put((String) given[0], new Task((CoordinatorExecutor.TaskRunnable<?>) given[1], given[2]));
                    return !was;
                }
                if (method.getName().equals("cancel")) tasks.remove(given[0]);
                return method.getReturnType() == boolean.class ? was : null;
            }
        );
        GroupMetadataManager.Builder builder = new GroupMetadataManager.Builder();
        Members.call(builder, "withLogContext", LOG_CONTEXT);
        snapshots = SnapshotRegistry.class.getConstructor(LOG_CONTEXT.getClass()).newInstance(LOG_CONTEXT);
        Members.call(builder, "withSnapshotRegistry", snapshots);
        Members.call(builder, "withTime", clock);
        Members.call(builder, "withTimer", timer);
        Members.call(builder, "withExecutor", executor);
        Members.call(builder, "withConfig", config);
        Members.call(builder, "withGroupConfigManager", configs);
        Members.call(builder, "withMetadataImage", forCoordinator(image));
        Members.call(builder, "withGroupCoordinatorMetricsShard", metrics);
        manager = builder.build();
        Constructor<?> constructor = GroupCoordinatorShard.class.getDeclaredConstructors()[0];
        constructor.setAccessible(true);
        shard = (GroupCoordinatorShard) constructor.newInstance(
            LOG_CONTEXT, manager, null, clock, timer, config, null, metrics
        );
        for (CoordinatorRecord each : log) replay(each);
        manager.onLoaded();
    }

    static Object forCoordinator(MetadataImage given) {
        String type = "org.apache.kafka.coordinator.common.runtime.KRaftCoordinatorMetadataImage";
        return Members.has(type) ? Members.made(Members.type(type), given) : given;
    }

    /** Take a record from the log. */
    void replay(CoordinatorRecord each) {
        Members.call(shard, "replay", 0L, -1L, (short) -1, each);
    }

    /** A record is appended, and committed. */
    void append(CoordinatorRecord record) {
        log.add(record);
        replay(record);
    }

    /** The response to a request; its records are committed. */
    Object asked(String method, Object... arguments) {
        return done(Members.call(shard, method, arguments));
    }

    @SuppressWarnings("unchecked")
    private Object done(Object result) {
        CoordinatorResult<?, CoordinatorRecord> known = (CoordinatorResult<?, CoordinatorRecord>) result;
        for (CoordinatorRecord each : known.records()) {
            log.add(each);
            if (known.replayRecords()) replay(each);
        }
        if (known.appendFuture() != null) known.appendFuture().complete(null);
        return known.response();
    }

    /** The time of a timer is over; whether the coordinator watches it. */
    boolean timeOut(String key) {
        Object operation = timers.remove(key);
        if (operation == null) return false;
        Method generate = Members.method(operation.getClass(), "generateRecords", 0);
        done(Members.invoked(generate, operation));
        return true;
    }

    /** Whether an executor is to do something that it has not begun. */
    boolean isScheduled(String key) {
        return tasks.containsKey(key) && tasks.get(key).result == null;
    }

    /** The result of an executor that the coordinator has not handled; null if there is none. */
    Object result(String key) {
        return tasks.containsKey(key) ? tasks.get(key).result : null;
    }

    /** An executor does what it is to do. */
    void execute(String key) {
        try {
            tasks.get(key).result = tasks.get(key).runnable.run();
        } catch (Throwable error) {
            throw new IllegalStateException(error);
        }
    }

    /** The coordinator handles the result of an executor, or that it has failed. */
    void complete(String key, Throwable failure) {
        Task task = tasks.remove(key);
        Method complete = Members.method(task.operation.getClass(), "onComplete", 2);
        done(Members.invoked(complete, task.operation, task.result, failure));
    }
}
