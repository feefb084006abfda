package dev.damask.typed;

import dev.damask.value.Context;
import dev.damask.value.KeyType;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// Finds the codec of a type. The codecs of a class live as long as the class.
final class Codecs {
  private static final ClassValue<Map<KeyType, Codec>> KNOWN =
      new ClassValue<>() {
        @Override
        protected Map<KeyType, Codec> computeValue(Class<?> type) {
          return new ConcurrentHashMap<>();
        }
      };

  private static final Set<Class<?>> NUMBERS =
      Set.of(Long.class, Integer.class, Short.class, Byte.class);

  /// Types of the JDK whose codecs cannot be replaced.
  private static final Set<Class<?>> KNOWN_TYPES =
      Set.of(
          Object.class,
          Void.class,
          List.class,
          Collection.class,
          Set.class,
          Map.class,
          Optional.class);

  /// The codecs of this search, which may refer to each other.
  private final Map<KeyType, Codec> found = new HashMap<>();

  /// The record whose components are being found; null outside of one. It decides where the codecs
  /// of types of the JDK come from.
  private @Nullable Class<?> owner;

  private Codecs() {}

  /// The codec of a type. Throws [ValueException] if values of the type cannot be stored.
  static Codec of(KeyType type) {
    Codec known = KNOWN.get(type.raw()).get(type);
    if (known != null) {
      return known;
    }
    Codecs search = new Codecs();
    Codec codec = search.find(type);
    search
        .found
        .values()
        .forEach(each -> {
          if (each instanceof RecordCodec record) {
            record.settle();
          }
        });
    search.found.forEach((each, value) -> KNOWN.get(each.raw()).put(each, value));
    return codec;
  }

  private Codec find(KeyType type) {
    Codec known = found.get(type);
    if (known == null) {
      known = KNOWN.get(type.raw()).get(type);
    }
    if (known == null) {
      known = make(type);
      found.put(type, known);
    }
    return known;
  }

  private Codec make(KeyType type) {
    Class<?> raw = type.raw();
    Codec scalar = ScalarCodec.ALL.get(raw);
    if (scalar != null) {
      return scalar;
    }
    boolean isKnown = KNOWN_TYPES.contains(raw) || raw.isArray();
    Optional<Codec> own = isKnown ? Optional.empty() : own(raw);
    if (own.isPresent()) {
      return own.get();
    }
    if (raw == Object.class || raw == Context.class || raw == Void.class) {
      return new PlainCodec(raw == Context.class);
    } else if (raw.isEnum()) {
      return new EnumCodec(raw);
    } else if (raw.isRecord()) {
      return record(type, "");
    } else if (raw.isArray()) {
      return new ContainerCodec.OfArray(raw, find(items(type)));
    } else if (raw == List.class || raw == Collection.class || raw == Set.class) {
      return new ContainerCodec.Of(find(argument(type, 0)), raw == Set.class);
    } else if (raw == Map.class) {
      return map(type);
    } else if (raw == Optional.class) {
      return optional(type);
    } else if (raw.isSealed()) {
      return sealed(type);
    }
    throw new ValueException(
        "%s cannot be stored; use a record, or provide a ValueCodec for it"
            .formatted(raw.getName()));
  }

  /// The user's codec of a type, from the class loader of the type, of the record that has it, or
  /// of the thread. The loader of a type of the JDK knows no codecs.
  private Optional<Codec> own(Class<?> raw) {
    Set<ClassLoader> loaders = new LinkedHashSet<>();
    add(loaders, raw.getClassLoader());
    add(loaders, owner == null ? null : owner.getClassLoader());
    add(loaders, Thread.currentThread().getContextClassLoader());
    for (ClassLoader loader : loaders) {
      for (ValueCodec<?> each : ServiceLoader.load(ValueCodec.class, loader)) {
        if (each.type() == raw) {
          return Optional.of(new UserCodec<>(each));
        }
      }
    }
    return Optional.empty();
  }

  private static void add(Set<ClassLoader> loaders, @Nullable ClassLoader loader) {
    if (loader != null) {
      loaders.add(loader);
    }
  }

  private Codec optional(KeyType type) {
    Codec inner = find(argument(type, 0));
    if (inner instanceof ContainerCodec.OfOptional) {
      throw new ValueException("Optional of Optional cannot be stored; both empties look alike");
    }
    return new ContainerCodec.OfOptional(inner);
  }

  private Codec map(KeyType type) {
    KeyType keys = argument(type, 0);
    boolean isText = ScalarCodec.ALL.containsKey(keys.raw()) && keys.raw() != byte[].class;
    boolean isNumber = NUMBERS.contains(keys.raw());
    boolean isFraction = Number.class.isAssignableFrom(keys.raw()) && !isNumber;
    if (!(isText || keys.raw().isEnum()) || isFraction || keys.raw() == Boolean.class) {
      throw new ValueException(
          "the keys of a map are strings, enums, integers, dates or ids, not " + keys);
    }
    return new ContainerCodec.OfMap(find(keys), isNumber, find(argument(type, 1)));
  }

  private Codec record(KeyType type, String tag) {
    RecordCodec codec = new RecordCodec(type.raw(), tag);
    if (tag.isEmpty()) {
      found.put(type, codec); // before its components, which may hold the record again
    }
    Map<TypeVariable<?>, KeyType> bound = new HashMap<>();
    TypeVariable<?>[] variables = type.raw().getTypeParameters();
    if (variables.length != type.arguments().size()) {
      throw new ValueException(
          "%s has %d type parameters; use a key of KeyType.of(%s.class, …)"
              .formatted(type.raw().getSimpleName(), variables.length, type.raw().getSimpleName()));
    }
    for (int i = 0; i < variables.length; i++) {
      bound.put(variables[i], type.arguments().get(i));
    }
    List<Codec> components = new ArrayList<>();
    Class<?> outer = owner;
    owner = type.raw();
    for (RecordComponent component : type.raw().getRecordComponents()) {
      try {
        Codec each = find(resolve(component.getGenericType(), bound));
        components.add(isNullable(component) ? new ContainerCodec.OfNullable(each) : each);
      } catch (ValueException e) {
        throw e.in(component.getName());
      }
    }
    owner = outer;
    codec.link(components);
    return codec;
  }

  private static boolean isNullable(RecordComponent component) {
    return Arrays.stream(new AnnotatedElement[] {component, component.getAnnotatedType()})
        .flatMap(each -> Arrays.stream(each.getAnnotations()))
        .anyMatch(each -> each.annotationType().getSimpleName().equals("Nullable"));
  }

  private Codec sealed(KeyType type) {
    SealedCodec codec = new SealedCodec(type.raw());
    found.put(type, codec);
    Map<Class<?>, KeyType> leaves = new LinkedHashMap<>();
    collect(type, leaves);
    leaves.forEach((leaf, leafType) -> {
      Codec each = record(leafType, leaf.getSimpleName());
      codec.add(leaf, each);
      found.put(new KeyType(TaggedLeaf.class, List.of(type, KeyType.of(leaf))), each);
    });
    return codec;
  }

  /// Stands in the table for the record of a sealed interface, whose form has a tag.
  private record TaggedLeaf() {}

  private static void collect(KeyType type, Map<Class<?>, KeyType> leaves) {
    for (Class<?> each : type.raw().getPermittedSubclasses()) {
      if (each.isRecord()) {
        leaves.put(each, below(each, type));
      } else if (each.isSealed()) {
        collect(below(each, type), leaves);
      } else {
        throw new ValueException(
            "%s permits %s, which is not a record; declare it as a record"
                .formatted(type.raw().getSimpleName(), each.getSimpleName()));
      }
    }
  }

  /// The type of a class that a sealed interface permits: each of its parameters has the argument
  /// of the interface's parameter that it stands for, and is any value if it stands for none.
  private static KeyType below(Class<?> type, KeyType above) {
    Map<TypeVariable<?>, KeyType> bound = new HashMap<>();
    for (Type each : type.getGenericInterfaces()) {
      if (each instanceof ParameterizedType generic && generic.getRawType() == above.raw()) {
        Type[] arguments = generic.getActualTypeArguments();
        for (int i = 0; i < arguments.length; i++) {
          if (arguments[i] instanceof TypeVariable<?> variable) {
            bound.put(variable, argument(above, i));
          }
        }
      }
    }
    return new KeyType(
        type,
        Arrays.stream(type.getTypeParameters())
            .map(each -> bound.getOrDefault(each, KeyType.of(Object.class)))
            .toList());
  }

  /// The type of the items of an array: its class, or its argument if the items are generic.
  private static KeyType items(KeyType array) {
    return array.arguments().isEmpty()
        ? KeyType.of(array.raw().getComponentType())
        : array.arguments().getFirst();
  }

  private static KeyType argument(KeyType type, int index) {
    return type.arguments().size() > index ? type.arguments().get(index) : KeyType.of(Object.class);
  }

  /// The type of a component, with the type arguments of its record.
  private static KeyType resolve(Type type, Map<TypeVariable<?>, KeyType> bound) {
    return switch (type) {
      case Class<?> plain -> KeyType.of(plain);
      case ParameterizedType generic ->
          new KeyType(
              (Class<?>) generic.getRawType(),
              Arrays.stream(generic.getActualTypeArguments())
                  .map(each -> resolve(each, bound))
                  .toList());
      case TypeVariable<?> variable -> bound.getOrDefault(variable, KeyType.of(Object.class));
      case WildcardType wildcard -> resolve(wildcard.getUpperBounds()[0], bound);
      case GenericArrayType array -> {
        KeyType items = resolve(array.getGenericComponentType(), bound);
        yield KeyType.of(items.raw().arrayType(), items);
      }
      default -> throw new ValueException("the type " + type + " cannot be stored");
    };
  }

  /// The stored form of a value whose type only the object knows. It is for comparing values: what
  /// is not visible in the object, such as the arguments of a generic record, is not needed.
  static @Nullable Object stored(@Nullable Object value) {
    return switch (value) {
      case null -> null;
      case Set<?> set -> ContainerCodec.sorted(all(set));
      case Collection<?> list -> all(list);
      case Map<?, ?> map -> {
        Map<String, @Nullable Object> all = new TreeMap<>();
        map.forEach((key, each) -> all.put(word(key), stored(each)));
        yield all;
      }
      case Optional<?> optional -> optional.map(Codecs::stored).orElse(null);
      case Enum<?> constant -> of(KeyType.of(constant.getDeclaringClass())).encode(constant);
      case Record record when record.getClass().getTypeParameters().length > 0 ->
          RecordCodec.stored(record);
      default -> of(KeyType.of(value.getClass())).encode(value);
    };
  }

  private static List<@Nullable Object> all(Collection<?> items) {
    List<@Nullable Object> all = new ArrayList<>(items.size());
    items.forEach(each -> all.add(stored(each)));
    return all;
  }

  private static String word(@Nullable Object key) {
    return key instanceof Enum<?> constant ? constant.name() : String.valueOf(key);
  }

  /// The declared type of a record's component; empty if the class has no such component.
  static Optional<KeyType> component(KeyType type, String name) {
    if (!type.raw().isRecord()) {
      return Optional.empty();
    }
    return Arrays.stream(type.raw().getRecordComponents())
        .filter(each -> each.getName().equals(name))
        .map(each -> resolve(each.getGenericType(), Map.of()))
        .findFirst();
  }
}
