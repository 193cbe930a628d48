using System;

namespace UnityEngine
{
    public class Texture : Object
    {
        /// <summary>For the tests: how many have been made and not destroyed.</summary>
        public static int Living { get; private set; }

        protected Texture()
        {
            Living += 1;
        }

        protected override void WhenDestroyed()
        {
            if (this != null) Living -= 1;
            base.WhenDestroyed();
        }
    }

    public class Texture2D : Texture
    {
        internal Texture2D(byte[] encoded)
        {
            Encoded = encoded;
        }

        /// <summary>For the tests: the file that it was made of.</summary>
        public byte[] Encoded { get; }
    }
}

namespace UnityEngine.Networking
{
    public static class UnityWebRequestTexture
    {
        public static UnityWebRequest GetTexture(string uri, bool nonReadable)
        {
            return new UnityWebRequest(uri, "GET") { downloadHandler = new DownloadHandlerTexture(!nonReadable) };
        }
    }

    public sealed class DownloadHandlerTexture : DownloadHandler
    {
        Texture2D made;

        public DownloadHandlerTexture(bool readable)
        {
        }

        /// <summary>Makes the texture when it is asked for. Null: the content is no PNG or JPEG.</summary>
        public static Texture2D GetContent(UnityWebRequest www)
        {
            Player.RequireMainThread();
            if (!www.isDone || www.result != UnityWebRequest.Result.Success) throw new InvalidOperationException(www.error);
            var handler = (DownloadHandlerTexture)www.downloadHandler;
            var isPicture = handler.data != null && (handler.data[0] == 0x89 || handler.data[0] == 0xff);
            if (handler.made == null && isPicture) handler.made = new Texture2D(handler.data);
            return handler.made;
        }
    }
}
