/** What the floor's object extends. The bench is checked with the types of Node, not of the Workers runtime. */
declare module 'cloudflare:workers' {
  export class DurableObject {
    constructor(state: object, env: object)
    fetch(request: object): Promise<object>
  }
}
