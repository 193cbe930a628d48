using System.Threading;

namespace EdgeGameStorage
{
    public sealed partial class GameStorage
    {
        Saves saves;

        /// <summary>Cloud saves, with conflicts and the queue of a device without a network.</summary>
        public Saves Saves
        {
            get
            {
                if (saves == null) Interlocked.CompareExchange(ref saves, new Saves(this, transport, disposing.Token), null);
                return saves;
            }
        }
    }
}
