namespace EdgeGameStorage
{
    /// <summary>The content of a file, a save or a picture, read whole.</summary>
    public sealed class ContentAnswer
    {
        readonly HttpAnswer answer;

        internal ContentAnswer(HttpAnswer answer)
        {
            this.answer = answer;
        }

        /// <summary>Empty when <see cref="IsNotModified"/>.</summary>
        public byte[] Bytes
        {
            get { return answer.Body; }
        }

        /// <summary>The type of the content; null when it has none.</summary>
        public string MimeType
        {
            get { return Header("Content-Type"); }
        }

        /// <summary>
        /// Identifies this content: for <c>IfNoneMatch</c> and <see cref="ChangeOptions.IfMatch"/>. Throws <c>ETAG_STRIPPED</c> when
        /// something on the way strips it.
        /// </summary>
        public string ETag
        {
            get { return ETags.Of(answer); }
        }

        /// <summary>Whether the content is still the one of <c>IfNoneMatch</c>, so the answer leaves it out.</summary>
        public bool IsNotModified
        {
            get { return answer.Status == 304; }
        }

        /// <summary>The value of a header; null when the answer has none of this name.</summary>
        public string Header(string name)
        {
            return answer.Header(name);
        }
    }
}
