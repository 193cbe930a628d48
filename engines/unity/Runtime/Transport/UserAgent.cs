namespace EdgeGameStorage
{
    static class UserAgent
    {
        /// <summary>The version is that of package.json; a test compares the two.</summary>
        public const string Value = "edge-game-storage-csharp/0.3.0";
    }
}
