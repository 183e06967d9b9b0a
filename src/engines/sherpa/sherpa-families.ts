export const SHERPA_FAMILIES = ['vits', 'matcha', 'kokoro', 'kitten', 'pocket', 'zipvoice', 'supertonic'] as const
export type SherpaFamily = (typeof SHERPA_FAMILIES)[number]

export interface ModelFile {
  /** A key of `files`; the library uses camel case. */
  readonly name: string
  readonly pattern: RegExp
  /** Excludes files that also match. */
  readonly but?: RegExp
  readonly isOptional?: true
  /** All matches, joined by commas. */
  readonly isList?: true
  /** These kinds lead the list in order; the rest follows by name. */
  readonly first?: readonly RegExp[]
  /** Used only if `files` names it. */
  readonly isNamedOnly?: true
}

interface Family {
  readonly files: readonly ModelFile[]
  readonly clones: boolean
  readonly needsText: boolean
  readonly hasSteps: boolean
  readonly hasPace: boolean
}

const ONNX = /\.onnx$/
const VOCODER = /^(voco|hifigan).*\.onnx$/
const TOKENS: ModelFile = { name: 'tokens', pattern: /^tokens\.txt$/ }
const VOICES: ModelFile = { name: 'voices', pattern: /^voices\.bin$/ }
const DATA_DIR: ModelFile = { name: 'data_dir', pattern: /^espeak-ng-data$/, isOptional: true }
// American English first, because a word's first entry counts.
const LEXICON: ModelFile = {
  name: 'lexicon',
  pattern: /^lexicon.*\.txt$/,
  but: /gb-en/,
  isOptional: true,
  isList: true,
}

/** `encoder.int8.onnx`, `encoder-fp16.onnx` */
const part = (name: string): ModelFile => ({ name, pattern: new RegExp(`^${name}([._-].*)?\\.onnx$`) })

const speakers = (files: readonly ModelFile[], hasSteps = false): Family => ({
  files,
  hasSteps,
  hasPace: true,
  clones: false,
  needsText: false,
})

export const FAMILIES: Readonly<Record<SherpaFamily, Family>> = {
  vits: speakers([{ name: 'model', pattern: ONNX }, TOKENS, LEXICON, DATA_DIR]),
  matcha: speakers([
    { name: 'acoustic_model', pattern: ONNX, but: VOCODER },
    { name: 'vocoder', pattern: VOCODER },
    TOKENS,
    LEXICON,
    DATA_DIR,
  ]),
  kokoro: speakers([{ name: 'model', pattern: ONNX }, VOICES, TOKENS, LEXICON, DATA_DIR]),
  kitten: speakers([{ name: 'model', pattern: ONNX }, VOICES, TOKENS, DATA_DIR]),
  pocket: {
    files: [
      ...['lm_flow', 'lm_main', 'encoder', 'decoder', 'text_conditioner'].map(part),
      { name: 'vocab_json', pattern: /^vocab\.json$/ },
      { name: 'token_scores_json', pattern: /^token_scores\.json$/ },
    ],
    clones: true,
    needsText: false,
    hasSteps: true,
    hasPace: false,
  },
  zipvoice: {
    files: [part('encoder'), part('decoder'), { name: 'vocoder', pattern: VOCODER }, TOKENS, LEXICON, DATA_DIR],
    clones: true,
    needsText: true,
    hasSteps: true,
    hasPace: true,
  },
  supertonic: speakers(
    [
      ...['duration_predictor', 'text_encoder', 'vector_estimator', 'vocoder'].map(part),
      { name: 'tts_json', pattern: /^tts\.json$/ },
      { name: 'unicode_indexer', pattern: /^unicode_indexer\.(bin|json)$/ },
      { name: 'voice_style', pattern: /^voices?([._-].*)?\.(bin|json)$/ },
    ],
    true,
  ),
}

/** Order matters: telephone numbers and dates are numbers too. */
const RULES: readonly ModelFile[] = [
  { name: 'rule_fsts', pattern: /\.fst$/, isOptional: true, isList: true, first: [/phone/, /date/, /number/] },
  { name: 'rule_fars', pattern: /\.far$/, isOptional: true, isList: true },
]

/** Kokoro's rules are Chinese and would change English texts. */
export const rulesOf = (family: SherpaFamily): readonly ModelFile[] =>
  family === 'kokoro' ? RULES.map((rule) => ({ ...rule, isNamedOnly: true })) : RULES

export const fileNamesOf = (family: SherpaFamily): string[] =>
  [...FAMILIES[family].files, ...rulesOf(family)].map(({ name }) => name)
