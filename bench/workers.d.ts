/** The base class of the floor's object. The bench is checked with Node's types, not the Workers runtime's. */
declare module 'cloudflare:workers' {
  export class DurableObject {
    constructor(state: object, env: object)
    fetch(request: object): Promise<object>
  }
}
