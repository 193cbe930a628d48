using System;
using System.Threading.Tasks;
using UnityEngine;
using UnityEngine.UI;

namespace EdgeGameStorage.Samples
{
    /// <summary>
    /// Asks for the address of the service and a token. It is for development: "npm run token -- ada" prints a token of the player ada,
    /// which expires. A game has no such form. It takes the token of its own login, and a new one when <c>renew</c> is true:
    /// <code>new GameStorage(url, (renew, cancel) => Login.GetTokenAsync(renew, cancel))</code>
    /// </summary>
    sealed class SignInForm
    {
        readonly Action<GameStorage> signedIn;
        readonly InputField url;
        readonly InputField token;
        readonly Text problem;

        public SignInForm(Transform screen, string title, string url, string token, Action<GameStorage> signedIn)
        {
            this.signedIn = signedIn;
            Ui.Label(screen, title, 24);
            Ui.Label(screen, "Address of the service");
            this.url = Ui.Field(screen, "http://localhost:8787", url);
            Ui.Label(screen, "Token (npm run token -- ada)");
            this.token = Ui.Field(screen, "Paste it here", token);
            Ui.Button(Ui.Row(screen), "Sign in", Submit);
            problem = Ui.Label(screen, "");
        }

        /// <summary>Signs in with what is in the fields.</summary>
        public void Submit()
        {
            var address = url.text.Trim().TrimEnd('/');
            var pasted = token.text.Trim();
            Uri parsed;
            var isAddress = Uri.TryCreate(address, UriKind.Absolute, out parsed);
            if (!isAddress || parsed.Scheme != "http" && parsed.Scheme != "https")
                problem.text = "Enter the address of the service, like https://storage.example.com.";
            else if (pasted.Length == 0) problem.text = "Paste a token.";
            else if (pasted.Split('.').Length != 3) problem.text = "This is not a whole token. Copy all that the command has printed.";
            else signedIn(new GameStorage(address, (renew, cancel) => Task.FromResult(pasted)));
        }
    }
}
