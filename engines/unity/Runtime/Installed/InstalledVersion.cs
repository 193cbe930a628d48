using Newtonsoft.Json.Linq;

namespace EdgeGameStorage
{
    /// <summary>A version of an asset that a device has.</summary>
    public sealed class InstalledVersion
    {
        public string AssetId { get; set; }

        public long Version { get; set; }

        /// <summary>The platform that the content is for. Null: for all.</summary>
        public string Platform { get; set; }

        /// <summary>In base64. Null when the service has none, as of what was uploaded in parts.</summary>
        public string ChecksumSha256 { get; set; }

        public long SizeBytes { get; set; }

        /// <summary>
        /// The same for the same bytes, which are kept once: the checksum, or of content without one the version that it is of. Fit for the
        /// name of a file.
        /// </summary>
        internal string Key
        {
            get
            {
                return ChecksumSha256 == null
                    ? AssetId + "_" + Version + "_" + Platform
                    : ChecksumSha256.Replace('+', '-').Replace('/', '_').TrimEnd('=');
            }
        }

        internal static InstalledVersion Read(JObject from)
        {
            return new InstalledVersion
            {
                AssetId = Json.Required(Json.Text(from, "asset_id"), "asset_id"),
                Version = Json.Required(Json.Integer(from, "version"), "version"),
                Platform = Json.Text(from, "platform"),
                ChecksumSha256 = Json.Text(from, "checksum_sha256"),
                SizeBytes = Json.Required(Json.Integer(from, "size_bytes"), "size_bytes"),
            };
        }

        internal JObject ToJson()
        {
            var json = new JObject();
            json.Put("asset_id", AssetId);
            json.Put("version", Version);
            json.Put("platform", Platform);
            json.Put("checksum_sha256", ChecksumSha256);
            json.Put("size_bytes", SizeBytes);
            return json;
        }
    }
}
