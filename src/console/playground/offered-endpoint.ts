interface Served {
  /** Null: it is not known. */
  readonly isServed: boolean | null
}

/** Which endpoint a playground begins with whose address names none: the first that a worker serves, or else the first. */
export const offeredEndpoint = <Endpoint extends Served>(endpoints: readonly Endpoint[]): Endpoint | undefined =>
  endpoints.find(({ isServed }) => isServed !== false) ?? endpoints[0]

/** The endpoint that the address asks for, or else the one that was offered; the first one where neither is there. */
export function chosenEndpoint<Endpoint extends { readonly slug: string }>(
  endpoints: readonly Endpoint[],
  asked: string | undefined,
  offered: string | undefined,
): Endpoint | undefined {
  const find = (wanted: string | undefined) => endpoints.find(({ slug }) => slug === wanted)
  return find(asked) ?? find(offered) ?? endpoints[0]
}
