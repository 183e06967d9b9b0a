declare module 'autocannon' {
  interface Options {
    readonly url: string
    readonly connections: number
    /** Seconds. */
    readonly duration: number
    readonly method?: string
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: string
    /** Puts an id of its own in the place of `[<id>]` in each request. */
    readonly idReplacement?: boolean
  }
  interface Result {
    /** Seconds. */
    readonly duration: number
    readonly errors: number
    readonly requests: { readonly total: number }
    readonly statusCodeStats: Readonly<Record<string, { readonly count: number }>>
  }
  function autocannon(options: Options): Promise<Result>
  export = autocannon
}
