using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Threading;
using System.Threading.Tasks;

/// <summary>Prints what an assembly says of itself: CORE.DLL. A line each: `type NAME`, `method NAME`, `uncancelable NAME`;
/// `misnamed NAME` of a method whose name ends in Async though it returns no task, or does not though it does; `ambiguous NAME` of methods of
/// one name that return different types; `member NAME` of a property; `exposed NAME` of one, or of a method, with a type of Newtonsoft.</summary>
static class Inspection
{
    const int TypeReferences = 0x01000000;

    public static void Run(string path)
    {
        var core = Assembly.LoadFrom(path);
        foreach (var type in ForeignTypes(core.ManifestModule)) Console.WriteLine("type " + type);
        foreach (var type in core.GetExportedTypes()) Tell(type);
        foreach (var method in AsynchronousMethods(core))
        {
            Console.WriteLine("method " + NameOf(method));
            if (!IsCancelable(method)) Console.WriteLine("uncancelable " + NameOf(method));
        }
    }

    /// <summary>The types of other assemblies that the code names, by the metadata's table of them.</summary>
    static IEnumerable<string> ForeignTypes(Module module)
    {
        for (var row = 1;; row++)
        {
            Type type;
            try
            {
                type = module.ResolveType(TypeReferences | row);
            }
            catch (ArgumentException)
            {
                yield break;
            }
            yield return type.FullName;
        }
    }

    static IEnumerable<MethodInfo> AsynchronousMethods(Assembly core)
    {
        return core.GetExportedTypes()
            .Where(type => !typeof(Delegate).IsAssignableFrom(type))
            .SelectMany(type => type.GetMethods(Own))
            .Where(method => !method.IsSpecialName && typeof(Task).IsAssignableFrom(method.ReturnType));
    }

    const BindingFlags Own = BindingFlags.Public | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;

    static void Tell(Type type)
    {
        foreach (var property in type.GetProperties(Own))
        {
            Console.WriteLine("member " + type.FullName + "." + property.Name);
            if (IsForeign(property.PropertyType)) Console.WriteLine("exposed " + type.FullName + "." + property.Name);
        }
        if (typeof(Delegate).IsAssignableFrom(type)) return;
        foreach (var methods in type.GetMethods(Own).Where(method => !method.IsSpecialName).GroupBy(method => method.Name))
        {
            var name = type.FullName + "." + methods.Key;
            var isAwaited = methods.Any(method => typeof(Task).IsAssignableFrom(method.ReturnType));
            if (isAwaited != methods.Key.EndsWith("Async")) Console.WriteLine("misnamed " + name);
            if (methods.Select(method => method.ReturnType.ToString()).Distinct().Count() > 1) Console.WriteLine("ambiguous " + name);
            if (methods.Any(method => IsForeign(method.ReturnType) || method.GetParameters().Any(one => IsForeign(one.ParameterType))))
                Console.WriteLine("exposed " + name);
        }
    }

    static bool IsForeign(Type type)
    {
        return type.ToString().Contains("Newtonsoft");
    }

    static bool IsCancelable(MethodInfo method)
    {
        var last = method.GetParameters().LastOrDefault();
        return last != null && last.ParameterType == typeof(CancellationToken);
    }

    static string NameOf(MethodInfo method)
    {
        return method.DeclaringType.FullName + "." + method.Name;
    }
}
