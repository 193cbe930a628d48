using System;
using System.IO;

namespace EdgeGameStorage.Samples
{
    /// <summary>
    /// An error in words. Players read what they can do about it; translate these lines. Developers read the rest in the console.
    /// </summary>
    static class Problems
    {
        public static string ForPlayers(Exception error)
        {
            var refusal = error as StorageException;
            if (refusal != null) return ForPlayers(refusal);
            var problem = error as PlayerProblem;
            if (problem != null) return problem.Message;
            if (error is IOException || error is UnauthorizedAccessException)
                return "This device could not write the file. Is there enough free space?";
            return "Something went wrong. Please try again.";
        }

        public static string ForDevelopers(Exception error)
        {
            var refusal = error as StorageException;
            if (refusal == null) return error.ToString();
            var request = refusal.RequestId == null ? "" : " (request " + refusal.RequestId + ")";
            var cause = refusal.InnerException == null ? "" : "\n" + refusal.InnerException;
            return refusal.Code + ": " + refusal.Message + " " + refusal.Advice + request + cause;
        }

        static string ForPlayers(StorageException error)
        {
            switch (error.Code)
            {
                case ErrorCodes.NetworkError:
                    return "There is no connection. Please check the network and try again.";
                case ErrorCodes.Unauthenticated:
                    return "You are not signed in any more. Please sign in again.";
                case ErrorCodes.RateLimited:
                    return "That was a lot at once. Please wait a moment and try again.";
                case ErrorCodes.PreconditionFailed:
                    return "This was changed on another device. Please look at it again.";
                case ErrorCodes.ValidationFailed:
                    return "Please check what you have entered.";
                case ErrorCodes.LimitReached:
                    return error.Limit == "save_slots"
                        ? "All your save slots are in use. Delete one, and this save is sent."
                        : error.Limit == "reports" ? "You have reported a lot today. Please go on tomorrow."
                        : "There are too many of these already. Please remove one first.";
                case ErrorCodes.QuotaExceeded:
                    return "Your online storage is full. Please delete something you no longer need.";
                case ErrorCodes.BodyTooLarge:
                    return "This save is too large to be stored online.";
                case ErrorCodes.SaveNotFound:
                    return "This save is gone: it was deleted on another device.";
                case ErrorCodes.AssetNotFound:
                case ErrorCodes.VersionNotFound:
                    return "This world is not available any more.";
                default:
                    return error.IsTemporary || error.Status >= 500
                        ? "The service is busy. Please try again in a moment."
                        : "Something went wrong. Please try again.";
            }
        }
    }

    /// <summary>An error whose message is for players.</summary>
    sealed class PlayerProblem : Exception
    {
        public PlayerProblem(string message, Exception cause = null)
            : base(message, cause)
        {
        }
    }
}
