using System;

namespace EdgeGameStorage
{
    /// <summary>The platform of a client that is given none.</summary>
    public static class DefaultPlatform
    {
        /// <summary>Makes a platform. The package's part for Unity sets it before the first scene, so that a game needs to set nothing.</summary>
        public static Func<IPlatform> Make { get; set; } = () => new DotnetPlatform();
    }
}
