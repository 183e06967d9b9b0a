import './lexicon.css'
import { useRef } from 'preact/hooks'
import { asApiError } from '../api/api-error.ts'
import { ask } from '../api/ask.ts'
import { randomKey } from '../api/random-key.ts'
import { useQuery } from '../api/use-query.ts'
import { heard, speak, voices as voicesQuery } from '../operations.ts'
import { toast } from '../parts/toast.tsx'
import { offeredEndpoint } from '../playground/offered-endpoint.ts'
import { SoundButton } from '../voices/preview-button.tsx'
import type { Entry } from './entries.ts'

/** Who says a word, with the inputs besides its text. */
export interface WordVoice {
  readonly endpoint: string
  readonly inputs: Readonly<Record<string, unknown>>
}

interface HearButtonsProps {
  readonly entry: Entry
  /** Absent: a voice of the entry's language. */
  readonly voice?: WordVoice | undefined
}

/** The word as it is spoken now, and as it will be. */
export function HearButtons({ entry: { grapheme, alias, language }, voice: given }: HearButtonsProps) {
  const found = useQuery(voicesQuery, given === undefined ? {} : null)
  const voice = given ?? voiceFor(found.data?.myEndpoints ?? [], language)
  const said = useRef(new Map<string, string>()).current
  const source = async (text: string): Promise<string | null> => {
    if (voice === undefined) return null
    const key = JSON.stringify([voice, text])
    const jobId = said.get(key) ?? (await submit(voice, text))
    said.set(key, jobId)
    const { voiceJob } = await ask(heard, { jobId })
    return (voiceJob.wav ?? voiceJob.liveUrl ?? null) as string | null
  }
  const onFailed = (): void => toast('The word could not be spoken: try again in a moment.')
  const button = (text: string, label: string, name: string) => (
    <span class="row hear-word">
      <SoundButton
        name={voice === undefined || text === '' ? null : `word ${name} ${text}`}
        label={label}
        source={() => source(text).catch((error) => sayWhy(error))}
        onFailed={onFailed}
      />
      <span aria-hidden="true">{name}</span>
    </span>
  )
  return (
    <div class="field">
      <div class="row hear-words">
        {button(grapheme, 'the word as it is spoken now', 'Before')}
        {button(alias, 'the word as it will be spoken', 'After')}
      </div>
      <p class="hint">Hear it before you save. Each first hearing costs the credits of its letters.</p>
    </div>
  )
}

async function submit({ endpoint, inputs }: WordVoice, text: string): Promise<string> {
  const variables = { slug: endpoint, inputs: { ...inputs, text }, idempotencyKey: randomKey() }
  return (await ask(speak, variables)).submitVoiceJob.jobId
}

function sayWhy(error: unknown): null {
  toast(`The word could not be spoken: ${asApiError(error).message}`)
  return null
}

type Endpoints = Parameters<typeof offeredEndpoint<Endpoint>>[0]
interface Endpoint {
  readonly slug: string
  readonly voiceInput: string
  readonly isServed: boolean | null
  readonly libraryVoices: boolean
  readonly voices: readonly { readonly slug: string; readonly language?: string | null }[]
}

function voiceFor(endpoints: Endpoints, language: string | null): WordVoice | undefined {
  const endpoint = offeredEndpoint(endpoints, {})
  if (endpoint === undefined) return undefined
  const voice = endpoint.voices.find((one) => one.language === language) ?? endpoint.voices[0]
  return { endpoint: endpoint.slug, inputs: voice === undefined ? {} : { [endpoint.voiceInput]: voice.slug } }
}
