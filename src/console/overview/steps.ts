import type { Answered } from '../api/ask.ts'
import type { FirstStepsQuery } from '../operations.ts'
import { formFields } from '../playground/form-fields.ts'

type Endpoint = FirstStepsQuery['myEndpoints'][number]

/** An endpoint that speaks a text with nothing else but a voice, and two of its voices. */
export interface Speaker {
  readonly endpoint: Endpoint
  readonly voices: Endpoint['voices']
}

interface Step {
  readonly isDone: boolean
}

/** Null: a step that this user cannot take. */
export interface Progress {
  readonly voices: Step & { readonly speaker: Speaker | null }
  readonly key: Step | null
  readonly delivery: Step | null
  readonly natural: Step | null
}

/** Engines that are a part of the service; their voices are robotic. */
const BUILT_IN = ['espeak', 'flite']
const TEXT_LANGUAGE = 'English'

export function progressOf({ myEndpoints, spoken, apiKeys, webhookDeliveries }: Answered<FirstStepsQuery>): Progress {
  const heard = new Set(spoken.edges.map(({ node }) => ('voice' in node ? node.voice : null)))
  heard.delete(null)
  const engines = myEndpoints.flatMap(({ settings }) => (settings ? [kindOf(settings.engine)] : []))
  const step = (isDone: boolean | undefined): Step | null => (isDone === undefined ? null : { isDone })
  return {
    voices: { isDone: heard.size > 1, speaker: speakerOf(myEndpoints) },
    // The first start makes a key, too.
    key: step(apiKeys?.edges.some(({ node }) => node.createdBy !== null)),
    delivery: step(webhookDeliveries && webhookDeliveries.edges.length > 0),
    natural: engines.length === 0 ? null : { isDone: engines.some((kind) => !BUILT_IN.includes(kind)) },
  }
}

const kindOf = (engine: unknown): string => String((engine as { readonly kind?: unknown } | null)?.kind)

function speakerOf(endpoints: readonly Endpoint[]): Speaker | null {
  const fitting = endpoints.filter(({ isServed, schema, voiceInput, voices }) => {
    const required = formFields(schema).flatMap(({ name, isRequired }) => (isRequired ? [name] : []))
    return isServed !== false && voices.length > 0 && required.every((name) => ['text', voiceInput].includes(name))
  })
  const [endpoint] = fitting
  if (endpoint === undefined) return null
  const spoken = endpoint.voices.filter(({ language }) => language === null || language === TEXT_LANGUAGE)
  return { endpoint, voices: (spoken.length > 1 ? spoken : endpoint.voices).slice(0, 2) }
}
