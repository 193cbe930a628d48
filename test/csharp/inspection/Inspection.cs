using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Threading;
using System.Threading.Tasks;

/// <summary>Prints what an assembly says of itself: CORE.DLL. A line each: `type NAME`, `method NAME`, `uncancelable NAME`.</summary>
static class Inspection
{
    const int TypeReferences = 0x01000000;

    static void Main(string[] given)
    {
        var core = Assembly.LoadFrom(given[0]);
        foreach (var type in ForeignTypes(core.ManifestModule)) Console.WriteLine("type " + type);
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
        const BindingFlags Own = BindingFlags.Public | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;
        return core.GetExportedTypes()
            .Where(type => !typeof(Delegate).IsAssignableFrom(type))
            .SelectMany(type => type.GetMethods(Own))
            .Where(method => !method.IsSpecialName && typeof(Task).IsAssignableFrom(method.ReturnType));
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
