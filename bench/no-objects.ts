/** Empty classes for entry points that use no objects: wrangler.toml binds both, so each entry point has to export them. */
export class Inbox {}
export class Janitor {}
