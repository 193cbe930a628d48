// The part of Godot 4's C# API that engines/godot and docs/godot.md use, with its signatures, and a main loop without an engine.
using System;
using System.Collections.Generic;
using System.IO;
using System.Threading;
using System.Threading.Tasks;

namespace Godot
{
    [AttributeUsage(AttributeTargets.Field | AttributeTargets.Property)]
    public sealed class ExportAttribute : Attribute
    {
    }

    [AttributeUsage(AttributeTargets.Class)]
    public sealed class GlobalClassAttribute : Attribute
    {
    }

    public sealed class NodePath
    {
        readonly string path;

        NodePath(string path)
        {
            this.path = path;
        }

        public static implicit operator NodePath(string from)
        {
            return new NodePath(from);
        }

        public static implicit operator string(NodePath from)
        {
            return from.path;
        }
    }

    public class Node
    {
        static readonly Dictionary<string, Node> tree = new Dictionary<string, Node>();

        public virtual void _EnterTree()
        {
        }

        public virtual void _Ready()
        {
        }

        public virtual void _ExitTree()
        {
        }

        public T GetNode<T>(NodePath path)
            where T : class
        {
            return (T)(object)tree[path];
        }

        /// <summary>For the tests: what the engine does with a node of a scene.</summary>
        public void Enter(string path)
        {
            tree.Add(path, this);
            _EnterTree();
            _Ready();
        }

        /// <summary>For the tests.</summary>
        public void Exit(string path)
        {
            _ExitTree();
            tree.Remove(path);
        }
    }

    public static class GD
    {
        public static void Print(string what)
        {
            Console.WriteLine(what);
        }

        public static void PushWarning(string message)
        {
            Console.WriteLine("warning: " + message);
        }
    }

    public static class ProjectSettings
    {
        /// <summary>For the tests: the folder that user:// is.</summary>
        public static string User { get; set; }

        public static string GlobalizePath(string path)
        {
            return path.Replace("user://", User + Path.DirectorySeparatorChar);
        }
    }

    /// <summary>As Godot's: the main thread runs in each frame what was posted.</summary>
    public sealed class GodotSynchronizationContext : SynchronizationContext
    {
        readonly Queue<KeyValuePair<SendOrPostCallback, object>> queue = new Queue<KeyValuePair<SendOrPostCallback, object>>();

        public override void Post(SendOrPostCallback d, object state)
        {
            lock (queue) queue.Enqueue(new KeyValuePair<SendOrPostCallback, object>(d, state));
        }

        /// <summary>For the tests: runs frames until a game has ended, and throws what it has thrown.</summary>
        public void Run(Func<Task> game)
        {
            SetSynchronizationContext(this);
            var ended = game();
            while (!ended.IsCompleted)
            {
                ExecutePendingContinuations();
                Thread.Sleep(4);
            }
            SetSynchronizationContext(null);
            ended.GetAwaiter().GetResult();
        }

        void ExecutePendingContinuations()
        {
            for (;;)
            {
                KeyValuePair<SendOrPostCallback, object> next;
                lock (queue)
                {
                    if (queue.Count == 0) return;
                    next = queue.Dequeue();
                }
                next.Key(next.Value);
            }
        }
    }
}
