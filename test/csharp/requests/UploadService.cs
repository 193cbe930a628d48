using System;
using System.IO;
using EdgeGameStorage;

/// <summary>A service that starts an upload, or has one to resume, and refuses to complete it.</summary>
sealed class UploadService
{
    /// <summary>In bytes.</summary>
    public const int PartSize = 600000;

    readonly int parts;

    public UploadService(int parts)
    {
        this.parts = parts;
        Platform = new ScriptedPlatform(Answer);
    }

    public ScriptedPlatform Platform { get; }

    public int Puts { get; private set; }

    public Action Started { get; set; }

    /// <summary>Called when the upload is to be completed.</summary>
    public Action Completing { get; set; }

    /// <summary>The parts that are recorded, as JSON.</summary>
    public string Recorded { get; set; } = "";

    /// <summary>The ETag of a part that storage no longer has.</summary>
    public string Overwritten { get; set; }

    /// <summary>Called when content has arrived.</summary>
    public Action Taken { get; set; }

    HttpAnswer Answer(HttpCall call)
    {
        if (call.Method == "PUT") return Take(call);
        if (call.Url.EndsWith("/complete", StringComparison.Ordinal)) return Refuse(call);
        if (call.Url.EndsWith("/parts", StringComparison.Ordinal)) return ScriptedPlatform.Json("{\"parts\":[" + PartUrl(1) + "," + PartUrl(2) + "]}");
        if (Started != null) Started();
        var url = parts == 0 ? "\"url\":\"http://storage/whole\",\"headers\":{}," : "";
        var multipart = "{\"part_size\":" + PartSize + ",\"part_count\":" + parts + ",\"uploaded\":[" + Recorded + "]}";
        return ScriptedPlatform.Json(
            "{\"id\":\"u\",\"state\":\"open\",\"upload_type\":\"file\",\"size_bytes\":" + 2 * PartSize + "," + url + "\"multipart\":"
            + (parts == 0 ? "null" : multipart) + ",\"created_at\":1,\"expires_at\":2,\"name\":\"a\",\"mime_type\":\"a/b\"}");
    }

    HttpAnswer Refuse(HttpCall call)
    {
        if (Completing != null) Completing();
        using (var reader = new StreamReader(call.Body.Open()))
            return Overwritten != null && reader.ReadToEnd().Contains("\"" + Overwritten + "\"")
                ? ScriptedPlatform.Refusal(ErrorCodes.UploadIncomplete, 409)
                : ScriptedPlatform.Refusal(ErrorCodes.FileNotFound, 404);
    }

    HttpAnswer Take(HttpCall call)
    {
        Puts += 1;
        using (var stream = call.Body.Open()) stream.CopyTo(Stream.Null);
        if (Taken != null) Taken();
        return ScriptedPlatform.Json("", 200, "\"e\"");
    }

    static string PartUrl(int number)
    {
        return "{\"part_number\":" + number + ",\"url\":\"http://storage/" + number + "\",\"headers\":{},\"url_expires_at\":1}";
    }
}
