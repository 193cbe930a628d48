// The part of NUnit and of Unity's Test Framework that the tests of the package use.
using System;

namespace NUnit.Framework
{
    public static class Assert
    {
        public static void AreEqual(object expected, object actual)
        {
            if (!Equals(expected, actual)) Fail("Expected " + (expected ?? "null") + ", but was " + (actual ?? "null"));
        }

        public static void Fail(string message)
        {
            throw new InvalidOperationException(message);
        }
    }
}

namespace UnityEngine.TestTools
{
    [AttributeUsage(AttributeTargets.Method)]
    public sealed class UnityTestAttribute : Attribute
    {
    }
}
