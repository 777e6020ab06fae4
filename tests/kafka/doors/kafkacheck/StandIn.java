package kafkacheck;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Makes an object that stands in for one of a class whose constructor needs half a broker.
 *
 * The object is of a subclass that is written here as bytes: the named methods call a handler, with their arguments
 * boxed. No constructor runs, so that all fields are blank and every other method is of no use, unless the object
 * stands `in` for another one, whose fields it takes over.
 */
public final class StandIn {
    /** Takes the calls of a stand-in, and returns what they return. */
    public interface Handler {
        Object handle(String method, Object[] arguments);
    }

    private record Primitive(String box, String unbox, int load, int result, int slots) { }

    private static final Map<Class<?>, Primitive> PRIMITIVES = Map.of(
        boolean.class, new Primitive("java/lang/Boolean", "booleanValue", 0x15, 0xac, 1),
        short.class, new Primitive("java/lang/Short", "shortValue", 0x15, 0xac, 1),
        int.class, new Primitive("java/lang/Integer", "intValue", 0x15, 0xac, 1),
        long.class, new Primitive("java/lang/Long", "longValue", 0x16, 0xad, 2),
        double.class, new Primitive("java/lang/Double", "doubleValue", 0x18, 0xaf, 2)
    );
    private static final Map<Class<?>, Class<?>> MADE = new HashMap<>();
    private static final String HANDLER = Handler.class.getName().replace('.', '/');
    private static final int OLD_ENOUGH_FOR_NO_FRAMES = 49;
    private static final int PUBLIC = 1;
    private static final int PUBLIC_CLASS = 0x21;
    private static final int STACK = 12;

    private final ByteArrayOutputStream poolBytes = new ByteArrayOutputStream();
    private final DataOutputStream pool = new DataOutputStream(poolBytes);
    private final Map<List<Object>, Integer> constants = new HashMap<>();
    private final String name;

    private StandIn(String name) {
        this.name = name;
    }

    /** An object of a subclass of `type`, in which the methods of these names call the handler. */
    public static <T> T of(Class<T> type, Set<String> methods, Handler handler) throws ReflectiveOperationException {
        Class<?> made = MADE.get(type);
        if (made == null) {
            try {
                byte[] bytes = new StandIn(type.getName().replace('.', '/') + "$StandIn").written(type, methods);
                made = MethodHandles.privateLookupIn(type, MethodHandles.lookup()).defineClass(bytes);
            } catch (IOException error) {
                throw new IllegalStateException(error);
            }
            MADE.put(type, made);
        }
        Field unsafe = Class.forName("sun.misc.Unsafe").getDeclaredField("theUnsafe");
        unsafe.setAccessible(true);
        Object allocator = unsafe.get(null);
        Object each = allocator.getClass().getMethod("allocateInstance", Class.class).invoke(allocator, made);
        made.getField("handler").set(each, handler);
        return type.cast(each);
    }

    /** Like `of`, but the object begins with the fields of another one, so that its other methods can be used. */
    public static <T> T in(T original, Set<String> methods, Handler handler) throws ReflectiveOperationException {
        @SuppressWarnings("unchecked")
        T each = of((Class<T>) original.getClass(), methods, handler);
        for (Class<?> type = original.getClass(); isOpen(type); type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                if (Modifier.isStatic(field.getModifiers())) continue;
                field.setAccessible(true);
                field.set(each, field.get(original));
            }
        }
        return each;
    }

    private static boolean isOpen(Class<?> type) {
        return type.getClassLoader() != null;
    }

    private byte[] written(Class<?> type, Set<String> methods) throws IOException {
        ByteArrayOutputStream bodyBytes = new ByteArrayOutputStream();
        DataOutputStream body = new DataOutputStream(bodyBytes);
        body.writeShort(PUBLIC_CLASS);
        body.writeShort(classOf(name));
        body.writeShort(classOf(type.getName().replace('.', '/')));
        body.writeShort(0);
        body.writeShort(1);
        body.writeShort(PUBLIC);
        body.writeShort(utf8("handler"));
        body.writeShort(utf8("L" + HANDLER + ";"));
        body.writeShort(0);
        Map<String, Method> overridden = overridden(type, methods);
        body.writeShort(overridden.size());
        for (Method method : overridden.values()) writeMethod(body, method);
        body.writeShort(0);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream file = new DataOutputStream(bytes);
        file.writeInt(0xCAFEBABE);
        file.writeInt(OLD_ENOUGH_FOR_NO_FRAMES);
        file.writeShort(constants.size() + 1);
        poolBytes.writeTo(file);
        bodyBytes.writeTo(file);
        return bytes.toByteArray();
    }

    private static Map<String, Method> overridden(Class<?> type, Set<String> methods) {
        Map<String, Method> found = new HashMap<>();
        for (Method method : type.getMethods()) {
            if (methods.contains(method.getName()) && !Modifier.isFinal(method.getModifiers())) {
                found.putIfAbsent(method.getName() + descriptor(method), method);
            }
        }
        Set<String> missing = new HashSet<>(methods);
        found.values().forEach(each -> missing.remove(each.getName()));
        // A method that this release does not have is never called.
        if (missing.size() == methods.size()) throw new IllegalStateException(type + " has none of " + methods);
        return found;
    }

    private static String descriptor(Method method) {
        StringBuilder text = new StringBuilder("(");
        for (Class<?> parameter : method.getParameterTypes()) text.append(parameter.descriptorString());
        return text.append(')').append(method.getReturnType().descriptorString()).toString();
    }

    private void writeMethod(DataOutputStream body, Method method) throws IOException {
        ByteArrayOutputStream codeBytes = new ByteArrayOutputStream();
        DataOutputStream code = new DataOutputStream(codeBytes);
        code.writeByte(0x2a); // aload_0
        code.writeByte(0xb4); // getfield
        code.writeShort(member(9, name, "handler", "L" + HANDLER + ";"));
        code.writeByte(0x13); // ldc_w
        code.writeShort(constant(8, utf8(method.getName())));
        code.writeByte(0x10); // bipush
        code.writeByte(method.getParameterCount());
        code.writeByte(0xbd); // anewarray
        code.writeShort(classOf("java/lang/Object"));
        int local = 1;
        int place = 0;
        for (Class<?> parameter : method.getParameterTypes()) {
            Primitive primitive = PRIMITIVES.get(parameter);
            code.writeByte(0x59); // dup
            code.writeByte(0x10); // bipush
            code.writeByte(place++);
            code.writeByte(primitive == null ? 0x19 : primitive.load);
            code.writeByte(local);
            local += primitive == null ? 1 : primitive.slots;
            if (primitive != null) {
                code.writeByte(0xb8); // invokestatic
                String signature = "(" + parameter.descriptorString() + ")L" + primitive.box + ";";
                code.writeShort(member(10, primitive.box, "valueOf", signature));
            }
            code.writeByte(0x53); // aastore
        }
        code.writeByte(0xb9); // invokeinterface
        code.writeShort(
            member(11, HANDLER, "handle", "(Ljava/lang/String;[Ljava/lang/Object;)Ljava/lang/Object;")
        );
        code.writeByte(3);
        code.writeByte(0);
        writeReturn(code, method.getReturnType());
        body.writeShort(PUBLIC);
        body.writeShort(utf8(method.getName()));
        body.writeShort(utf8(descriptor(method)));
        body.writeShort(1);
        body.writeShort(utf8("Code"));
        body.writeInt(12 + codeBytes.size());
        body.writeShort(STACK);
        body.writeShort(local);
        body.writeInt(codeBytes.size());
        codeBytes.writeTo(body);
        body.writeShort(0);
        body.writeShort(0);
    }

    private void writeReturn(DataOutputStream code, Class<?> type) throws IOException {
        Primitive primitive = PRIMITIVES.get(type);
        if (type == void.class) {
            code.writeByte(0x57); // pop
            code.writeByte(0xb1); // return
            return;
        }
        code.writeByte(0xc0); // checkcast
        code.writeShort(classOf(primitive == null ? type.getName().replace('.', '/') : primitive.box));
        if (primitive == null) {
            code.writeByte(0xb0); // areturn
            return;
        }
        code.writeByte(0xb6); // invokevirtual
        code.writeShort(member(10, primitive.box, primitive.unbox, "()" + type.descriptorString()));
        code.writeByte(primitive.result);
    }

    private int utf8(String text) throws IOException {
        Integer known = constants.get(List.of(1, text));
        if (known != null) return known;
        pool.writeByte(1);
        pool.writeUTF(text);
        constants.put(List.of(1, text), constants.size() + 1);
        return constants.size();
    }

    private int classOf(String internalName) throws IOException {
        return constant(7, utf8(internalName));
    }

    private int member(int kind, String owner, String member, String signature) throws IOException {
        return constant(kind, classOf(owner), constant(12, utf8(member), utf8(signature)));
    }

    private int constant(int kind, int... parts) throws IOException {
        List<Object> key = parts.length == 1 ? List.of(kind, parts[0]) : List.of(kind, parts[0], parts[1]);
        Integer known = constants.get(key);
        if (known != null) return known;
        pool.writeByte(kind);
        for (int part : parts) pool.writeShort(part);
        constants.put(key, constants.size() + 1);
        return constants.size();
    }
}
