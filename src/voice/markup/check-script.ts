import { findLibraryVoices, wrongRecording } from '../../catalog/library-voices.ts'
import { markupOf } from '../../catalog/markups.ts'
import { checkSpokenText, isFarTooLong } from '../../catalog/voice-endpoint.ts'
import type { Voice, VoiceEndpoint } from '../../context/catalog-snapshot.ts'
import type { Database } from '../../db/database.ts'
import { checkSpeakable } from '../../engines/check-speakable.ts'
import { ownLanguage } from '../../engines/espeak/espeak-voice.ts'
import type { Lexicons } from '../../lexicon/account-lexicon.ts'
import { isId } from '../../values/id.ts'
import { readScript } from './read-script.ts'
import {
  applyLexicon,
  isFarLonger,
  languageOf,
  type Manner,
  MarkupViolation,
  type Script,
  spokenText,
  TOO_SILENT,
} from './script.ts'

const MAX_VOICES = 20

/** `script` is null if the text is no string or its markup is invalid. */
export interface CheckedScript {
  readonly script: Script | null
  readonly violation: string | null
  unspeakable(main: Voice, language: unknown): string | null
}

export interface ScriptContext {
  readonly db: Database
  readonly lexicons: Lexicons
}

/**
 * Reads a submission's text and checks its markup, voices, pauses and length.
 * @param inputs as the caller sent them
 */
export async function checkScript(
  ctx: ScriptContext,
  accountId: string,
  endpoint: VoiceEndpoint,
  inputs: unknown,
): Promise<CheckedScript> {
  const text = inputs !== null && typeof inputs === 'object' ? (inputs as Record<string, unknown>).text : undefined
  if (typeof text !== 'string' || isFarTooLong(text, endpoint)) return rejected(null)
  try {
    const script = readScript(text, markupOf(endpoint.markup), endpoint.code === 'skip' ? 'skip' : 'read')
    const voices = await namedVoices(ctx.db, accountId, endpoint, script)
    const { [endpoint.voiceInput]: slug, language: asked } = inputs as Record<string, unknown>
    const judge = (spoken: Script, main: Voice, language: unknown) =>
      unspeakable(endpoint, spoken, (name) => voices.get(name ?? '') ?? main, language)
    const main = endpoint.voices.find((voice) => voice.slug === slug)
    const isReplaced = main !== undefined && judge(script, main, asked) !== null
    const lexicon = isReplaced ? await ctx.lexicons.current(ctx.db, accountId) : null
    const spoken =
      lexicon === null
        ? script
        : applyLexicon(script, text, lexicon, languageOf(script, asked, main && ownLanguage(main)))
    return {
      script,
      violation: endpoint.markup == null ? null : wrongIn(endpoint, text, script, voices),
      unspeakable: (voice, language) => judge(spoken, voice, language),
    }
  } catch (error) {
    if (error instanceof MarkupViolation) return rejected(error.message)
    throw error
  }
}

const rejected = (violation: string | null): CheckedScript => ({ script: null, violation, unspeakable: () => null })

const mannersOf = ({ segments }: Script): Manner[] => segments.map(({ manner }) => manner)

/** @throws MarkupViolation for too many voices and for an unknown voice id */
async function namedVoices(
  db: Database,
  accountId: string,
  endpoint: VoiceEndpoint,
  script: Script,
): Promise<Map<string, Voice>> {
  const names = new Set(mannersOf(script).flatMap(({ voice }) => voice ?? []))
  if (names.size > MAX_VOICES) throw new MarkupViolation(`must not have more than ${MAX_VOICES} voices`)
  const fixed = endpoint.voices.filter(({ slug }) => names.has(slug)).map((voice) => [voice.slug, voice] as const)
  const found = new Map(fixed)
  const others = [...names].filter((name) => !found.has(name))
  const library = await findLibraryVoices(db, accountId, endpoint, others)
  for (const name of others) {
    const voice = library.get(name)
    // SSML from other services names their voices; the job's own voice speaks those stretches.
    if (voice === undefined && isId('voice', name)) throw new MarkupViolation('names an unknown voice')
    if (voice !== undefined) found.set(name, voice)
  }
  return found
}

function wrongIn(
  endpoint: VoiceEndpoint,
  text: string,
  script: Script,
  voices: ReadonlyMap<string, Voice>,
): string | null {
  const wrongVoice = [...voices.values()].filter((voice) => !endpoint.voices.includes(voice))
  const violation = wrongVoice.map((voice) => wrongRecording(endpoint, voice)).find((message) => message !== null)
  if (violation !== undefined) return violation
  if (endpoint.engine.profile === 'nari' && mannersOf(script).some(({ rate }) => rate !== undefined))
    return 'must not change the rate: this endpoint speaks at its own pace'
  if (script.isTooSilent) return TOO_SILENT
  const spoken = spokenText(script)
  if (isFarLonger(spoken.length, text.length))
    return 'must not be spoken as more than twice its length and 1000 characters'
  return checkSpokenText(spoken, endpoint)
}

function unspeakable(
  endpoint: VoiceEndpoint,
  script: Script,
  voiceOf: (name: string | undefined) => Voice,
  language: unknown,
): string | null {
  const { kind } = endpoint.engine
  const check = (text: string, { language: own, voice }: Manner): string | null => {
    const { engineVoice, language: ofVoice } = voiceOf(voice)
    const spoken = { kind, engineVoice, own: ofVoice, language: own ?? language, text }
    return text.trim() === '' ? null : checkSpeakable(spoken)
  }
  const changes = mannersOf(script).some((manner) => manner.language !== undefined || manner.voice !== undefined)
  if (!changes) return check(spokenText(script), {})
  const messages = script.segments.map((segment) => check(spokenText({ segments: [segment] }), segment.manner))
  return messages.find((message) => message !== null) ?? null
}
