/** wrangler.toml binds an inbox, so each entry point has to export one; what is measured here has no use for it. */
export class Inbox {}
