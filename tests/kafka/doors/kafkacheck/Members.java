package kafkacheck;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Members of classes that the releases have moved, renamed or made hidden, found by their names. */
public final class Members {
    private static final Map<List<Object>, Method> METHODS = new ConcurrentHashMap<>();
    private static final Map<List<Object>, Field> FIELDS = new ConcurrentHashMap<>();

    private Members() { }

    /** The class that has one of these names. */
    public static Class<?> type(String... names) {
        for (String name : names) {
            try {
                return Class.forName(name);
            } catch (ClassNotFoundException error) {
                continue;
            }
        }
        throw new IllegalStateException("no class " + String.join(" or ", names) + "; another release may have moved it");
    }

    public static boolean has(String name) {
        try {
            Class.forName(name);
            return true;
        } catch (ClassNotFoundException error) {
            return false;
        }
    }

    /** The only public constructor with the most parameters. */
    public static Constructor<?> constructor(Class<?> type) {
        Constructor<?> longest = null;
        for (Constructor<?> each : type.getConstructors()) {
            if (longest == null || each.getParameterCount() > longest.getParameterCount()) longest = each;
        }
        return longest;
    }

    public static Object made(Class<?> type, Object... arguments) {
        try {
            return constructor(type).newInstance(arguments);
        } catch (ReflectiveOperationException error) {
            throw failure(error);
        }
    }

    /** The method of this name with so many parameters. */
    public static Method method(Class<?> type, String name, int parameters) {
        return METHODS.computeIfAbsent(List.of(type, name, parameters), key -> {
            for (Class<?> each = type; each != null; each = each.getSuperclass()) {
                for (Method method : each.getDeclaredMethods()) {
                    boolean fits = method.getName().equals(name) && method.getParameterCount() == parameters;
                    if (fits && !method.isBridge()) {
                        method.setAccessible(true);
                        return method;
                    }
                }
            }
            throw new IllegalStateException(type + " has no " + name + " with " + parameters + " parameters");
        });
    }

    public static Object call(Object target, String name, Object... arguments) {
        return invoked(method(target.getClass(), name, arguments.length), target, arguments);
    }

    public static Object invoked(Method method, Object target, Object... arguments) {
        try {
            return method.invoke(target, arguments);
        } catch (ReflectiveOperationException error) {
            throw failure(error);
        }
    }

    /** The value of the field that has one of these names. */
    public static Object get(Object target, String... names) {
        try {
            return field(target, names).get(target);
        } catch (IllegalAccessException error) {
            throw failure(error);
        }
    }

    /** Give the field of that name another value, even if it is final. */
    public static void set(Object target, String name, Object value) {
        try {
            field(target, name).set(target, value);
        } catch (IllegalAccessException error) {
            throw failure(error);
        }
    }

    private static Field field(Object target, String... names) {
        return FIELDS.computeIfAbsent(List.of(target.getClass(), names[0]), key -> {
            for (Class<?> type = target.getClass(); type != null; type = type.getSuperclass()) {
                for (Field found : type.getDeclaredFields()) {
                    if (List.of(names).contains(found.getName())) {
                        found.setAccessible(true);
                        return found;
                    }
                }
            }
            throw new IllegalStateException(target.getClass() + " has no field " + String.join(" or ", names));
        });
    }

    private static RuntimeException failure(ReflectiveOperationException error) {
        Throwable cause = error instanceof InvocationTargetException ? error.getCause() : error;
        return cause instanceof RuntimeException known ? known : new IllegalStateException(cause);
    }
}
