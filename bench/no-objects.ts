/** Empty classes for entry points that use no objects: wrangler.toml binds them, so each entry point has to export them. */
export class Inbox {}
export class Janitor {}
export class Saves {}
