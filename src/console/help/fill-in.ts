/** Stands in samples for the reader's own. */
const SERVICE = 'http://127.0.0.1:4000'
const KEY = /\$KEY\b|\$\{process\.env\.(?:SONANT_)?KEY\}|\bprocess\.env\.(?:SONANT_)?KEY\b|snt_…/g
const ENDPOINT = 'tts'
const ACCOUNT = '--account demo'
/** A copied sample must not rename, disable or limit the reader's own account. */
const CHANGES_ACCOUNT = /\bsonant accounts (?!list\b|show\b)\w/
const VOICE = 'aria'

/** The reader of a sample, whose own things take the places of those in it. */
export interface Reader {
  /** The service's address. */
  readonly service: string
  readonly account: string
  /** Null: the sample keeps its placeholder. */
  readonly apiKey: string | null
  /** The endpoint that the samples name where the reader has it, else another one; null: there is none, or none is known. */
  readonly endpoint: { readonly slug: string; readonly voices: readonly string[] } | null
}

export const namesKey = (sample: string): boolean => sample.search(KEY) !== -1

/** A sample with the reader's own address, account, key, endpoint and voice. */
export function filledIn(sample: string, reader: Reader): string {
  const { service, account, apiKey, endpoint } = reader
  const named = CHANGES_ACCOUNT.test(sample) ? sample : sample.replaceAll(ACCOUNT, () => `--account ${account}`)
  const addressed = withAddress(named, service).replaceAll(/\$API\b/g, `${service}/api/v1`)
  const keyed = apiKey === null ? addressed : addressed.replaceAll(KEY, (place) => keyAt(place, apiKey))
  return endpoint === null ? keyed : withEndpoint(keyed, endpoint)
}

export const withAddress = (text: string, service: string): string =>
  text
    .replaceAll(SERVICE, () => service)
    .replaceAll(SERVICE.replace('http', 'ws'), () => service.replace('http', 'ws'))
    .replaceAll('--url https://voice.example.com', () => `--url ${service}`)

/** A program has it as a string. */
const keyAt = (place: string, apiKey: string): string => (place.startsWith('process') ? `'${apiKey}'` : apiKey)

function withEndpoint(sample: string, { slug, voices }: NonNullable<Reader['endpoint']>): string {
  const named = sample
    .replaceAll(`/voice/${ENDPOINT}`, () => `/voice/${slug}`)
    .replaceAll(quotedWord(ENDPOINT), (_, quote: string) => quote + slug + quote)
  const [voice] = voices
  if (voice === undefined || voices.includes(VOICE)) return named
  return named.replaceAll(quotedWord(VOICE), (_, quote: string) => quote + voice + quote)
}

const quotedWord = (word: string): RegExp => new RegExp(`(["'])${word}\\1`, 'g')

/** The endpoint that samples are filled in with. */
export const endpointOf = <Endpoint extends { readonly slug: string }>(
  endpoints: readonly Endpoint[],
): Endpoint | undefined => endpoints.find(({ slug }) => slug === ENDPOINT) ?? endpoints[0]
