import { requireConfirmedOperator } from '../../access/require.ts'
import { parseEndpointFile } from '../../catalog/files/endpoint-file.ts'
import { usualInputs } from '../../catalog/files/usual-inputs.ts'
import { proposedFile } from '../../catalog/files/write-endpoint.ts'
import { RESERVED_SLUGS } from '../../catalog/voice-endpoint.ts'
import type { Context } from '../../context/context.ts'
import { type DetectedServer, detectServer } from '../../engines/detect-server.ts'
import { type Dialect, dialectOf, type Profile } from '../../engines/dialects.ts'
import { EngineError } from '../../engines/engine.ts'
import { LANGUAGES, type Language } from '../../engines/espeak/detect-language.ts'
import { sealServerKey } from '../../engines/server-key.ts'
import { invalidRequest, type ServiceError } from '../../errors/service-error.ts'
import { hasUnseen } from '../../values/printable.ts'
import { problemOf } from './server-problem.ts'

const MOST_VOICES = 500
const MOST_SLUG_CHARACTERS = 50
const MOST_NAME_CHARACTERS = 200
const SPEEDS = [0.25, 4] as const
/** Without white space, which no header takes. */
const KEY = /^[\x21-\x7e]{1,1000}$/
/** `af_heart`: its first letter is a language, the second one a sex. */
const KOKORO_NAME = /^[a-z]([fm])_(.+)$/

interface ProposeEngine {
  readonly address: string
  /** It is sealed in the proposed file. */
  readonly apiKey?: string | null | undefined
  /** Names an environment variable in the place of a key. */
  readonly apiKeyEnv?: string | null | undefined
  /** Absent: the server's first. */
  readonly model?: string | null | undefined
  /** Names of voices as the server knows them. Absent: all that it lists. */
  readonly voices?: readonly string[] | null | undefined
  /** Name of the endpoint. Absent: after the model. */
  readonly name?: string | null | undefined
}

/** The server as it was found, and the endpoint file that would have it speak. */
export interface EngineProposal {
  readonly server: string
  readonly profile: Profile
  readonly kindName: string
  readonly isLoading: boolean
  readonly models: readonly string[]
  /** Null: the server lists none, so the operator must name one. */
  readonly model: string | null
  /** Those that the server lists, then others that were given. Empty: the operator must name some. */
  readonly voices: readonly ProposedVoice[]
  readonly name: string
  readonly slug: string
  /** Null until model and voices are known. */
  readonly source: string | null
}

export interface ProposedVoice {
  readonly slug: string
  readonly name: string
  readonly engineVoice: string
  readonly language: Language | null
}

/**
 * Asks a speech server what it is, which models and voices it has, and writes the endpoint file for it. It stores nothing.
 * @throws UNAUTHORIZED, FORBIDDEN, REAUTHENTICATION_REQUIRED, INVALID_REQUEST with the field to correct
 */
export async function proposeEngine(ctx: Context, input: ProposeEngine): Promise<EngineProposal> {
  requireConfirmedOperator(ctx)
  const key = keyOf(ctx, input)
  const found = await detect(input.address.trim(), key)
  const models = found.models.map(({ id }) => id)
  const model = input.model?.trim() || models[0] || null
  const listed = voicesOf(found, model)
  const voices = withSlugs([...listed, ...unlisted(listed, input.voices ?? [])])
  const chosen = voices.filter(({ engineVoice }) => input.voices?.includes(engineVoice) ?? true)
  const name = input.name?.trim() || nameAfter(model, found.profile)
  const slug = freeSlug(ctx, name)
  const proposal = {
    ...found,
    server: found.baseUrl,
    kindName: dialectOf(found.profile).name,
    models,
    model,
    name,
    slug,
    voices,
  }
  const isKnown = model !== null && chosen.length > 0
  const source = isKnown ? await sourceOf(ctx, { ...proposal, model, voices: chosen }, input) : null
  return { ...proposal, source }
}

/** @throws INVALID_REQUEST */
function keyOf({ settings }: Context, { apiKey, apiKeyEnv }: ProposeEngine): string | undefined {
  const key = (apiKeyEnv == null ? apiKey : settings.lookUp(apiKeyEnv))?.trim() || undefined
  if (apiKeyEnv != null && key === undefined)
    throw wrong(
      'apiKeyEnv',
      `Set ${apiKeyEnv}, or name the variable that holds the key: it is not set here, or is a setting of Sonant, which no server gets.`,
    )
  if (key === undefined || KEY.test(key)) return key
  throw wrong('apiKey', 'Enter the key again: it holds a space or a letter that no key has.')
}

const wrong = (path: string, message: string): ServiceError =>
  invalidRequest(message, [{ path, message: 'must be corrected' }])

/** @throws INVALID_REQUEST for the address or the key */
async function detect(address: string, key: string | undefined): Promise<DetectedServer> {
  const said = addressProblem(address)
  if (said !== null) throw wrong('address', said)
  try {
    return await detectServer(address, key)
  } catch (error) {
    if (!(error instanceof EngineError) && (error as Error | null)?.name !== 'TimeoutError') throw error
    const { message } = error as Error
    if (/wants a key/.test(message))
      throw wrong('apiKey', 'Enter the key of the server: it answers to nobody without one.')
    if (/refuses this key/.test(message))
      throw wrong('apiKey', 'Enter the key again: the server does not accept this one.')
    const isSaid = error instanceof EngineError && error.code === 'INTERNAL_ERROR'
    throw wrong('address', isSaid ? message : problemOf(error, { base_url: withScheme(address) }))
  }
}

const withScheme = (address: string): string => (/^[a-z]+:\/\//i.test(address) ? address : `http://${address}`)

function addressProblem(address: string): string | null {
  if (address === '') return 'Enter the address of the server, such as http://127.0.0.1:8880.'
  const whole = withScheme(address)
  if (!/^https?:/i.test(whole))
    return 'Begin the address with http:// or https://, as speech servers speak no other way.'
  if (!URL.canParse(whole)) return 'Correct the address: it looks like http://127.0.0.1:8880.'
  const { username, password } = new URL(whole)
  return username === '' && password === ''
    ? null
    : 'Leave name and password out of the address, and enter a key in its own field.'
}

type NamedVoice = Omit<ProposedVoice, 'slug'>

function voicesOf({ models }: DetectedServer, model: string | null): NamedVoice[] {
  const { voices } = models.find(({ id }) => id === model) ?? models[0] ?? { voices: null }
  return (voices ?? [])
    .filter(({ name }) => name.length > 0 && name.length <= MOST_NAME_CHARACTERS && !hasUnseen(name))
    .slice(0, MOST_VOICES)
    .map(({ name, language = null }) => ({ name: shownName(name), engineVoice: name, language }))
}

/** A voice that the server does not list may be there all the same. */
const unlisted = (listed: readonly NamedVoice[], names: readonly string[]): NamedVoice[] =>
  names
    .filter((name) => listed.every(({ engineVoice }) => engineVoice !== name))
    .slice(0, MOST_VOICES)
    .map((name) => ({ name: shownName(name), engineVoice: name, language: null }))

function shownName(name: string): string {
  const [, , own = name] = KOKORO_NAME.exec(name) ?? []
  return (
    own
      .replace(/[_-]+/g, ' ')
      .trim()
      .replace(/(^|\s)\p{Ll}/gu, (start) => start.toUpperCase())
      .slice(0, MOST_NAME_CHARACTERS) || name
  )
}

function withSlugs(voices: readonly NamedVoice[]): ProposedVoice[] {
  const taken = new Set<string>()
  const names = Map.groupBy(voices, ({ name }) => name)
  return voices.map((voice) => {
    const isTwice = (names.get(voice.name)?.length ?? 0) > 1
    const name = isTwice ? `${voice.name} (${voice.language ?? voice.engineVoice})` : voice.name
    const slug = firstFree(slugOf(voice.engineVoice) || 'voice', (one) => taken.has(one))
    taken.add(slug)
    return { ...voice, name, slug }
  })
}

/** Kokoro's voices are not called after their model. */
const nameAfter = (model: string | null, profile: Profile): string =>
  profile === 'kokoro' ? 'Kokoro' : (model?.split('/').at(-1) ?? dialectOf(profile).name).slice(0, MOST_NAME_CHARACTERS)

function freeSlug({ catalog }: Context, name: string): string {
  const { endpoints, workflows } = catalog.current
  return firstFree(
    slugOf(name) || 'engine',
    (one) => endpoints.has(one) || workflows.has(one) || RESERVED_SLUGS.includes(one),
  )
}

const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}+/gu, '')
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^[_-]+|[_-]+$/g, '')
    .slice(0, MOST_SLUG_CHARACTERS)

function firstFree(slug: string, isTaken: (slug: string) => boolean): string {
  for (let n = 1; ; n++) {
    const one = n === 1 ? slug : `${slug}-${n}`
    if (!isTaken(one)) return one
  }
}

type Chosen = Pick<EngineProposal, 'server' | 'profile' | 'kindName' | 'name' | 'slug' | 'voices'> & {
  readonly model: string
}

/** @throws INVALID_REQUEST */
async function sourceOf(ctx: Context, chosen: Chosen, { apiKey, apiKeyEnv }: ProposeEngine): Promise<string> {
  const { server, profile, kindName, model, name, slug, voices } = chosen
  const key = apiKey?.trim()
  const endpoint = {
    ...{ slug, name, description: `${kindName} on ${new URL(server).hostname}.`, published: true },
    inputs: inputsFor(ctx, dialectOf(profile)),
    engine: {
      ...{ kind: 'openai-speech', profile, base_url: server, model },
      ...(apiKeyEnv != null
        ? { api_key_env: apiKeyEnv }
        : key && { api_key_sealed: sealServerKey(ctx.vault, server, key) }),
    },
    voices: voices.map(({ slug: own, name: shown, engineVoice, language }) => ({
      ...{ slug: own, name: shown, engine_voice: engineVoice },
      ...(language !== null && { language }),
    })),
  }
  const source = await proposedFile(endpoint)
  parseEndpointFile(source)
  return source
}

const inputsFor = ({ settings }: Context, { language, speed, instructions }: Dialect) =>
  usualInputs({
    languages: language === null ? [] : LANGUAGES,
    speed: speed && [Math.max(SPEEDS[0], speed[0]), Math.min(SPEEDS[1], speed[1])],
    hasStyle: instructions !== null,
    maxTextCharacters: settings.maxTextCharacters,
  })
