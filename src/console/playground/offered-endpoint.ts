/** The id of a voice in the account's library, which endpoints do not list. */
const LIBRARY_ID = /^voice_[a-z0-9]{26}$/

interface Offered {
  /** Null: it is not known. */
  readonly isServed: boolean | null
  readonly libraryVoices: boolean
  readonly voices: readonly { readonly slug: string }[]
}

/**
 * Which endpoint a playground begins with whose address names none that is there. An address with a voice alone was made where this was the first
 * endpoint, or the only one: the first that has the voice, served or not; or else the first that a worker serves; or else the first.
 */
export const offeredEndpoint = <Endpoint extends Offered>(
  endpoints: readonly Endpoint[],
  { endpoint: asked, voice }: Readonly<Record<string, string | undefined>>,
): Endpoint | undefined =>
  endpoints.find((endpoint) => !asked && voice && hasVoice(endpoint, voice)) ??
  endpoints.find(({ isServed }) => isServed !== false) ??
  endpoints[0]

/** The endpoint that the address asks for, or else the one that was offered; the first one where neither is there. */
export function chosenEndpoint<Endpoint extends { readonly slug: string }>(
  endpoints: readonly Endpoint[],
  asked: string | undefined,
  offered: string | undefined,
): Endpoint | undefined {
  const find = (wanted: string | undefined) => endpoints.find(({ slug }) => slug === wanted)
  return find(asked) ?? find(offered) ?? endpoints[0]
}

/** The endpoints in their order, but those that no worker serves come last. */
export const servedFirst = <Endpoint extends Pick<Offered, 'isServed'>>(endpoints: readonly Endpoint[]): Endpoint[] =>
  endpoints.toSorted((a, b) => Number(a.isServed === false) - Number(b.isServed === false))

const hasVoice = ({ voices, libraryVoices }: Offered, voice: string): boolean =>
  voices.some(({ slug }) => slug === voice) || (libraryVoices && LIBRARY_ID.test(voice))
