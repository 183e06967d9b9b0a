import type { Parts } from '../../context/context.ts'
import { paceOf, type SpeechRequest } from '../../engines/engine.ts'
import { detectLanguage, LANGUAGES, type Language } from '../../engines/espeak/detect-language.ts'
import { ownLanguage } from '../../engines/espeak/espeak-voice.ts'
import { JobFailure } from '../../jobs/job-states.ts'
import type { Claim } from '../../jobs/lifecycle/claim-job.ts'
import type { Lexicons } from '../../lexicon/lexicons.ts'
import { OffsetMap } from '../timing/offset-map.ts'
import { applyLexicon } from './apply-lexicon.ts'
import { isComposed } from './composed.ts'
import type { Change, Passage } from './passages.ts'
import { readScript } from './read-script.ts'
import { saidAs } from './say-as.ts'
import {
  isFarLonger,
  type Manner,
  MarkupViolation,
  type Script,
  type ScriptSpan,
  type Segment,
  spokenText,
} from './script.ts'

/** `passages` is absent if the text has one manner. */
export interface JobScript {
  readonly map: OffsetMap
  readonly passages?: readonly Passage[]
}

type ScriptRequest = Pick<SpeechRequest, 'text' | 'language' | 'speed'> & Partial<Pick<SpeechRequest, 'voice'>>

interface ScriptParts extends Pick<Parts, 'db'> {
  readonly lexicons: Lexicons
}

/**
 * Reads a claimed job's text with its markup and its account's lexicon.
 * @param voiceOf loads another voice of the endpoint; null if it has none of that name
 * @throws JobFailure RENDER_FAILED if the result is far longer than the submitted text
 */
export async function jobScript(
  parts: ScriptParts,
  claim: Claim,
  request: ScriptRequest,
  voiceOf: (voice: string) => Promise<SpeechRequest['voice'] | null>,
): Promise<JobScript> {
  const { text } = request
  const markup = claim.options.markup ?? 'none'
  if (markup === 'none' && claim.lexicon === null && isComposed(text)) return { map: OffsetMap.plain(text) }
  const read = readAloud(readOrFail(text, markup), request)
  const script = claim.lexicon === null ? read : await withLexicon(parts, claim, request, read, claim.lexicon)
  const map = new OffsetMap(
    text,
    script.segments.flatMap(({ spans }) => spans),
  )
  if (isFarLonger(map.spoken.length, text.length))
    throw new JobFailure('RENDER_FAILED', 'with its aliases the text is more than twice as long')
  if (markup === 'none') return { map }
  return { map, passages: await passagesOf(script, request, voiceOf) }
}

function readOrFail(text: string, markup: Parameters<typeof readScript>[1]): Script {
  try {
    return readScript(text, markup)
  } catch (error) {
    if (!(error instanceof MarkupViolation)) throw error
    throw new JobFailure('RENDER_FAILED', 'the markup of the text cannot be read')
  }
}

async function withLexicon(
  { db, lexicons }: ScriptParts,
  claim: Claim,
  { text, language, voice }: ScriptRequest,
  script: Script,
  revision: number,
): Promise<Script> {
  const lexicon = await lexicons.get(db, claim.accountId, revision)
  const whole = knownLanguage(language) ?? detectLanguage(spokenText(script), voice && ownLanguage(voice))
  return applyLexicon(script, text, lexicon, ({ manner }) => manner.language ?? whole)
}

function readAloud(script: Script, { language, voice }: ScriptRequest): Script {
  if (!script.segments.some(({ spans }) => spans.some(({ sayAs }) => sayAs !== undefined))) return script
  const own = voice && ownLanguage(voice)
  const whole = knownLanguage(language) ?? detectLanguage(spokenText(script), own) ?? own ?? 'English'
  const segments = script.segments.map(({ spans, ...segment }) => {
    const spoken = knownLanguage(segment.manner.language) ?? whole
    const said = joined(spans).map((span) =>
      span.sayAs === undefined ? span : { ...span, spoken: saidAs(span.spoken, span.sayAs, spoken) },
    )
    return { ...segment, spans: said }
  })
  return { ...script, segments }
}

/** Character references and composed letters split one `say-as` into spans. */
function joined(spans: readonly ScriptSpan[]): ScriptSpan[] {
  const made: ScriptSpan[] = []
  for (const span of spans) {
    const before = made.at(-1)
    if (before === undefined || span.sayAs === undefined || before.sayAs !== span.sayAs) made.push(span)
    else made[made.length - 1] = { ...before, spoken: before.spoken + span.spoken, end: span.end }
  }
  return made
}

const knownLanguage = (language: string | undefined): Language | undefined =>
  LANGUAGES.find((known) => known === language)

async function passagesOf(
  { segments }: Script,
  request: ScriptRequest,
  voiceOf: (voice: string) => Promise<SpeechRequest['voice'] | null>,
): Promise<Passage[]> {
  const passages: Passage[] = []
  const voices = new Map<string, SpeechRequest['voice'] | null>()
  for (const { spans, manner, pause, silenceMs } of segments) {
    const start = passages.at(-1)?.end ?? 0
    const end = start + spans.reduce((sum, { spoken }) => sum + spoken.length, 0)
    const { voice: name } = manner
    if (name !== undefined && !voices.has(name)) voices.set(name, await voiceOf(name))
    const voice = name === undefined ? undefined : (voices.get(name) ?? undefined)
    passages.push({ start, end, pause, silenceMs, change: changeOf(manner, request, voice, spans) })
  }
  return passages
}

function changeOf(
  { language, rate }: Manner,
  { speed = 1, ...request }: Omit<ScriptRequest, 'text'>,
  voice: SpeechRequest['voice'] | undefined,
  spans: Segment['spans'],
): Change {
  const spoken = language ?? languageFor(request, voice, spans)
  return {
    ...(spoken !== undefined && { language: spoken }),
    ...(rate !== undefined && { speed: paceOf(speed * rate) }),
    ...(voice !== undefined && { voice }),
  }
}

function languageFor(
  { language = 'auto', voice: main }: Omit<ScriptRequest, 'text'>,
  voice: SpeechRequest['voice'] | undefined,
  spans: Segment['spans'],
): Language | undefined {
  const own = voice && ownLanguage(voice)
  if (language !== 'auto' || own === undefined || own === (main && ownLanguage(main))) return undefined
  return detectLanguage(spans.map(({ spoken }) => spoken).join(''), own)
}
