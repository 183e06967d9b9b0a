import type { Language } from '../../engines/espeak/detect-language.ts'

const MOST_CHARACTERS = 10_000
const MOST_STYLE_CHARACTERS = 500

interface UsualInputs {
  /** Without at least two of them there is no such input. */
  readonly languages: readonly Language[]
  /** Slowest and fastest; null: the engine has its own pace only. */
  readonly speed: readonly [slowest: number, fastest: number] | null
  readonly hasStyle?: boolean
  /** The service's limit, where it is lower than the usual one. */
  readonly maxTextCharacters?: number
}

/** The schema of the inputs that an endpoint has if nobody writes another one. */
export function usualInputs({ languages, speed, hasStyle = false, maxTextCharacters = MOST_CHARACTERS }: UsualInputs) {
  const text = {
    type: 'string',
    minLength: 1,
    maxLength: Math.min(MOST_CHARACTERS, maxTextCharacters),
    pattern: '\\S',
    description: 'Text to synthesize.',
  }
  const voice = { type: 'string', description: "A voice slug from this endpoint's voices listing." }
  const language = {
    type: 'string',
    enum: ['auto', ...languages],
    default: 'auto',
    description: 'The language of the text; auto detects it.',
  }
  const style = {
    type: 'string',
    maxLength: MOST_STYLE_CHARACTERS,
    description: 'Style or emotion of the delivery, such as "calm and slow" or "very excited".',
  }
  const [minimum, maximum] = speed ?? []
  const pace = { type: 'number', minimum, maximum, default: 1, description: 'The pace; 2 is twice as fast.' }
  const properties = {
    ...{ text, voice },
    ...(languages.length > 1 && { language }),
    ...(hasStyle && { style_instruction: style }),
    ...(speed !== null && { speed: pace }),
  }
  return { type: 'object', additionalProperties: false, required: ['text', 'voice'], properties }
}
