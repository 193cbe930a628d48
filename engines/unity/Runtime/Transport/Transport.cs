using System;
using System.Collections.Generic;
using System.Globalization;
using System.Threading;
using System.Threading.Tasks;
using Newtonsoft.Json.Linq;

namespace EdgeGameStorage
{
    /// <summary>Sends the requests of a client: adds the token, repeats requests, and turns refusals into exceptions.</summary>
    sealed class Transport
    {
        /// <summary>A request with content may take a second longer for so many bytes: 128 kbit/s, the least of a phone's network.</summary>
        const double BytesPerSecond = 16 * 1024;

        readonly object gate = new object();
        readonly HashSet<string> deprecated = new HashSet<string>();
        readonly GameStorageOptions options;
        string bookmark;

        /// <param name="address">The address of the service, without a slash at its end.</param>
        /// <param name="token">The token of each request.</param>
        /// <param name="options">Its platform and timeout are not read: they have defaults.</param>
        /// <param name="platform">Sends the requests.</param>
        /// <param name="timeout">The time limit of one attempt.</param>
        /// <param name="disposed">Ends the requests.</param>
        public Transport(
            string address, TokenProvider token, GameStorageOptions options, IPlatform platform, TimeSpan timeout, CancellationToken disposed)
        {
            this.options = options;
            BaseUrl = address;
            Platform = platform;
            Timeout = timeout;
            Disposed = disposed;
            Tokens = new Tokens(token);
        }

        public string BaseUrl { get; }

        public IPlatform Platform { get; }

        public Tokens Tokens { get; }

        public RetryOptions Retry
        {
            get { return options.Retry; }
        }

        public TimeSpan Timeout { get; }

        /// <summary>The headers of each request on behalf of a player; null for requests of the token's own user.</summary>
        List<KeyValuePair<string, string>> OnBehalf { get; set; }

        /// <summary>Canceled when the client is disposed.</summary>
        public CancellationToken Disposed { get; }

        /// <summary>A transport that sends each request with a token that <paramref name="token"/> returns.</summary>
        public Transport With(TokenProvider token)
        {
            return new Transport(BaseUrl, token, options, Platform, Timeout, Disposed) { OnBehalf = OnBehalf };
        }

        /// <summary>A transport that sends each request on behalf of a player, with the reason for the audit.</summary>
        public Transport OnBehalfOf(string userId, string reason, CancellationToken disposed)
        {
            var headers = new List<KeyValuePair<string, string>> { HeaderOf("On-Behalf-Of", userId) };
            if (reason != null) headers.Add(HeaderOf("Audit-Reason", reason));
            return new Transport(BaseUrl, Tokens.GetAsync, options, Platform, Timeout, disposed) { OnBehalf = headers };
        }

        static KeyValuePair<string, string> HeaderOf(string name, string text)
        {
            return new KeyValuePair<string, string>(name, Uri.EscapeDataString(text));
        }

        /// <summary>Throws on behalf of a player, for what would be done for the token's own user.</summary>
        public void CheckOwn(string what)
        {
            if (OnBehalf != null) throw new NotSupportedException(what + " can't be had on behalf of a player.");
        }

        /// <summary>Sends a request, and reads the JSON of its answer.</summary>
        public Task<T> SendAsync<T>(Request request, Func<JObject, HttpAnswer, T> read, CancellationToken cancel)
        {
            return SendAndReadAsync(request, answer => read(Json.Parse(answer.Text), answer), cancel);
        }

        /// <summary>Sends a request, and reads the JSON list of its answer.</summary>
        public Task<IReadOnlyList<T>> SendForListAsync<T>(Request request, Func<JObject, T> read, CancellationToken cancel)
        {
            return SendAndReadAsync<IReadOnlyList<T>>(request, answer => Json.ParseList(answer.Text, read), cancel);
        }

        /// <summary>Sends a request whose answer is content.</summary>
        public async Task<ContentAnswer> SendForContentAsync(Request request, CancellationToken cancel)
        {
            return new ContentAnswer(await SendAsync(request, cancel));
        }

        async Task<T> SendAndReadAsync<T>(Request request, Func<HttpAnswer, T> read, CancellationToken cancel)
        {
            var answer = await SendAsync(request, cancel);
            try
            {
                return read(answer);
            }
            catch (Exception error) when (error is FormatException || error is Newtonsoft.Json.JsonException)
            {
                throw NoAnswer("The answer is not as the service describes it: " + error.Message, error);
            }
        }

        /// <summary>
        /// Sends a request, and repeats it after a temporary failure where a repetition is safe. Throws
        /// <see cref="StorageException"/> for a refusal and for no answer.
        /// </summary>
        public Task<HttpAnswer> SendAsync(Request request, CancellationToken cancel)
        {
            var failures = 0;
            var mayHaveTakenEffect = false;
            var key = request.IdempotencyKey;
            var canRepeat = request.IsRepeatable;
            Func<Task<HttpAnswer>> attempt = async () =>
            {
                try
                {
                    return await AuthorisedAsync(request, key, cancel);
                }
                catch (StorageException error) when (error.Status == 404 && mayHaveTakenEffect && request.Method == "DELETE")
                {
                    // An earlier attempt has deleted the item, and its answer was lost.
                    return new HttpAnswer(204, new KeyValuePair<string, string>[0], new byte[0]);
                }
                catch (StorageException error) when (error.Limit == "idempotency_keys" && !request.HasOwnKey)
                {
                    // The user has too many keys: the creation goes without one, and can't be repeated.
                    key = null;
                    canRepeat = false;
                }
                return await AuthorisedAsync(request, key, cancel);
            };
            return Backoff.WithRetriesAsync(this, attempt, error =>
            {
                if (!error.IsTemporary) return null;
                var hadNoEffect = error.Code == ErrorCodes.RateLimited;
                if (!hadNoEffect && !canRepeat) return null;
                if (!hadNoEffect)
                {
                    mayHaveTakenEffect = true;
                    if (request.OnLost != null) request.OnLost();
                }
                failures += 1;
                var delay = Backoff.Delay(Retry, failures);
                return delay == null ? null : delay + TimeSpan.FromSeconds(error.RetryAfterSeconds ?? 0);
            }, cancel);
        }

        /// <summary>Sends a request with the user's token, and once more with a new token when the first is rejected.</summary>
        async Task<HttpAnswer> AuthorisedAsync(Request request, string key, CancellationToken cancel)
        {
            if (request.IsPublic) return await OnceAsync(request, key, null, cancel);
            var before = Tokens.Renewals;
            try
            {
                return await OnceAsync(request, key, await GivenAsync(Tokens.CurrentAsync, cancel), cancel);
            }
            catch (StorageException error) when (error.Code == ErrorCodes.Unauthenticated)
            {
                // Another request may have renewed the token while this one was under way.
            }
            return await OnceAsync(request, key, await GivenAsync(ended => Tokens.RenewedAsync(before, ended), cancel), cancel);
        }

        /// <summary>
        /// A token of the login, which may never answer: the wait ends when the caller cancels, or the client is disposed. Without a token
        /// the service would refuse the request in the same way.
        /// </summary>
        async Task<string> GivenAsync(Func<CancellationToken, Task<string>> get, CancellationToken cancel)
        {
            using (var ended = CancellationTokenSource.CreateLinkedTokenSource(cancel, Disposed))
                try
                {
                    var token = await get(ended.Token);
                    if (!string.IsNullOrEmpty(token)) return token;
                    throw new StorageException(ErrorCodes.Unauthenticated, "The login has given no token.") { Status = 401 };
                }
                catch (OperationCanceledException)
                {
                    ThrowIfEnded(cancel);
                    throw;
                }
        }

        async Task<HttpAnswer> OnceAsync(Request request, string key, string token, CancellationToken cancel)
        {
            var call = new HttpCall(request.Method, BaseUrl + request.Path + request.Query) { Body = request.Body };
            call.Headers.AddRange(request.Headers);
            if (OnBehalf != null && !request.IsPublic) call.Headers.AddRange(OnBehalf);
            if (token != null) call.Add("Authorization", "Bearer " + HeaderText.Checked("Authorization", token));
            call.Add("User-Agent", UserAgent.Value);
            if (key != null) call.Add("Idempotency-Key", key);
            lock (gate)
                if (bookmark != null) call.Add("X-D1-Bookmark", bookmark);
            var limit = Timeout + TimeSpan.FromSeconds((request.Body == null ? 0 : request.Body.Length) / BytesPerSecond);
            var answer = await LimitedAsync(call, limit, cancel);
            KeepBookmark(answer.Header("X-D1-Bookmark"));
            NoteDeprecation(request.Operation, answer);
            var isNotModified = answer.Status == 304 && request.AnswersContent;
            if (!answer.IsSuccess && !isNotModified) throw RefusalOf(answer);
            // A network that asks for a login answers without the service's header, a proxy with a page.
            var type = answer.Header("Content-Type") ?? "";
            var isOfService = request.AnswersContent ? answer.Header("X-Request-Id") != null : answer.Body.Length == 0 || type.Contains("json");
            if (!isOfService) throw NoAnswer("Something else answered, with " + type + ".", null);
            return answer;
        }

        /// <summary>Sends a call once. Throws <see cref="StorageException"/> when no answer arrives within <paramref name="limit"/>.</summary>
        public async Task<HttpAnswer> LimitedAsync(HttpCall call, TimeSpan limit, CancellationToken cancel)
        {
            using (var ended = CancellationTokenSource.CreateLinkedTokenSource(cancel, Disposed))
            using (var stopped = new CancellationTokenSource())
            {
                var timer = CancelAfterAsync(ended, limit, stopped.Token);
                try
                {
                    return await Platform.SendAsync(call, ended.Token);
                }
                catch (Exception error) when (IsOfNetwork(error))
                {
                    ThrowIfEnded(cancel);
                    var isLate = ended.IsCancellationRequested;
                    throw NoAnswer(isLate ? "No answer from " + HostOf(call) + " in " + (int)limit.TotalSeconds + " s." : Unreachable(call), error);
                }
                finally
                {
                    stopped.Cancel();
                    await timer;
                }
            }
        }

        /// <summary>Whether an error of a platform says that no answer arrived, rather than that the platform refuses to send.</summary>
        public static bool IsOfNetwork(Exception error)
        {
            return !(error is StorageException || error is NotSupportedException);
        }

        /// <summary>Throws when the caller has canceled, or the client is disposed.</summary>
        public void ThrowIfEnded(CancellationToken cancel)
        {
            cancel.ThrowIfCancellationRequested();
            if (Disposed.IsCancellationRequested) throw new ObjectDisposedException("GameStorage");
        }

        /// <summary>Cancels a source after a time, by the platform's timer.</summary>
        async Task CancelAfterAsync(CancellationTokenSource source, TimeSpan time, CancellationToken stopped)
        {
            try
            {
                await Platform.DelayAsync(time, stopped);
                source.Cancel();
            }
            catch (OperationCanceledException)
            {
                // The answer has come in time.
            }
        }

        public static StorageException NoAnswer(string message, Exception cause)
        {
            return new StorageException(ErrorCodes.NetworkError, message, cause);
        }

        /// <summary>Says which host did not answer.</summary>
        public static string Unreachable(HttpCall call)
        {
            return "No answer from " + HostOf(call) + ". Is the service there, and is this device online?";
        }

        /// <summary>The host alone: path and query of a signed URL give access to the content.</summary>
        static string HostOf(HttpCall call)
        {
            return new Uri(call.Url).GetLeftPart(UriPartial.Authority);
        }

        static StorageException RefusalOf(HttpAnswer answer)
        {
            var location = answer.Header("Location");
            if (answer.Status >= 300 && answer.Status < 400)
                return NoAnswer(
                    "The answer is a redirect to " + location + ", which the token does not follow. Give GameStorage the url at which the "
                    + "service itself answers.", null);
            var body = Json.TryParse(answer.Text);
            if (body == null || body["code"] == null || body["request_id"] == null)
                return NoAnswer("The answer " + answer.Status + " is not one of the service's.", null);
            int seconds;
            var retryAfter = answer.Header("Retry-After");
            var hasTime = int.TryParse(retryAfter, NumberStyles.None, CultureInfo.InvariantCulture, out seconds);
            try
            {
                return new RefusalException(Problem.Read(body), hasTime ? seconds : (int?)null, body);
            }
            catch (FormatException error)
            {
                return NoAnswer("The answer " + answer.Status + " is not as the service describes it: " + error.Message, error);
            }
        }

        /// <summary>Bookmarks sort by age as strings, so an answer that arrives late never replaces a newer bookmark.</summary>
        void KeepBookmark(string newer)
        {
            lock (gate)
                if (string.CompareOrdinal(newer, bookmark) > 0) bookmark = newer;
        }

        /// <summary>Reports the deprecation headers of the service (RFC 9745, RFC 8594; docs/requests.md#what-may-change-under-v1).</summary>
        void NoteDeprecation(string operation, HttpAnswer answer)
        {
            if (options.OnDeprecated == null || answer.Header("Deprecation") == null) return;
            lock (gate)
                if (!deprecated.Add(operation)) return;
            var sunset = answer.Header("Sunset");
            var link = answer.Header("Link");
            options.OnDeprecated(
                operation + " is deprecated." + (sunset == null ? "" : " It may stop answering at " + sunset + ".")
                + (link == null ? "" : " See " + link));
        }
    }

    /// <summary>A refusal with its whole body, of which operations read members of their own.</summary>
    sealed class RefusalException : StorageException
    {
        public RefusalException(Problem problem, int? retryAfterSeconds, JObject body)
            : base(problem, retryAfterSeconds)
        {
            Body = body;
            var current = Json.Object(body, "current");
            if (current != null) Current = Save.Read(current);
        }

        public JObject Body { get; }
    }
}
