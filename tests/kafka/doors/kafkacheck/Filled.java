package kafkacheck;

import java.lang.reflect.Constructor;
import java.util.List;

/** Objects that fill the longest constructor of a class, by their types. */
public record Filled(Object... values) {
    public Filled with(Object more) {
        Object[] all = List.of(values).toArray(new Object[values.length + 1]);
        all[values.length] = more;
        return new Filled(all);
    }

    @SuppressWarnings("unchecked")
    public <T> T of(Class<T> type) throws ReflectiveOperationException {
        Constructor<?> longest = Members.constructor(type);
        Class<?>[] kinds = longest.getParameterTypes();
        Object[] given = new Object[kinds.length];
        for (int place = 0; place < kinds.length; place++) {
            Class<?> kind = kinds[place] == int.class ? Integer.class
                : kinds[place] == boolean.class ? Boolean.class : kinds[place];
            for (Object each : values) if (kind.isInstance(each)) given[place] = each;
            if (given[place] == null) throw new IllegalStateException(type + " wants a " + kind);
        }
        return (T) longest.newInstance(given);
    }
}
