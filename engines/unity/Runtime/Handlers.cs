using System;
using System.Runtime.ExceptionServices;
using System.Threading.Tasks;

namespace EdgeGameStorage
{
    /// <summary>Calls handlers of the game. An exception of one stops neither the client nor the handlers after it.</summary>
    static class Handlers
    {
        public static void Call<T>(Action<T> handler, T value)
        {
            try
            {
                handler(value);
            }
            catch (Exception error)
            {
                Throw(ExceptionDispatchInfo.Capture(error));
            }
        }

        public static void CallAll<T>(Action<T> handlers, T value)
        {
            if (handlers == null) return;
            foreach (Action<T> handler in handlers.GetInvocationList()) Call(handler, value);
        }

        /// <summary>
        /// Throws where the exceptions of <c>async void</c> handlers go, too: Unity logs them, and a program without a
        /// SynchronizationContext ends.
        /// </summary>
        static async void Throw(ExceptionDispatchInfo error)
        {
            await Task.Yield();
            error.Throw();
        }
    }
}
