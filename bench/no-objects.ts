/** wrangler.toml binds these, so each entry point has to export them. The bench uses neither. */
export class Inbox {}
export class Janitor {}
