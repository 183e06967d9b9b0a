/** The families of models that sherpa-onnx speaks with. */
export const SHERPA_FAMILIES = ['vits', 'matcha', 'kokoro', 'kitten', 'pocket', 'zipvoice', 'supertonic'] as const
export type SherpaFamily = (typeof SHERPA_FAMILIES)[number]

/** One file of a model, as it is found in the model's directory. */
export interface ModelFile {
  /** Its name in `files`; the library's name for it is the same in camel case. */
  readonly name: string
  readonly pattern: RegExp
  /** Files that the pattern matches as well, and that are something else. */
  readonly but?: RegExp
  readonly isOptional?: true
  /** All that match, between commas. */
  readonly isList?: true
  /** Those of a list that come first, one kind after the other; the rest follows by name. */
  readonly first?: readonly RegExp[]
  /** It is there where `files` names it, and not looked for. */
  readonly isNamedOnly?: true
}

interface Family {
  readonly files: readonly ModelFile[]
  /** Its voices are recordings; all others have numbered speakers. */
  readonly clones: boolean
  /** A recording needs its text. */
  readonly needsText: boolean
  readonly hasSteps: boolean
  /** It speaks at another pace by itself. */
  readonly hasPace: boolean
}

const ONNX = /\.onnx$/
const VOCODER = /^(voco|hifigan).*\.onnx$/
const TOKENS: ModelFile = { name: 'tokens', pattern: /^tokens\.txt$/ }
const VOICES: ModelFile = { name: 'voices', pattern: /^voices\.bin$/ }
const DATA_DIR: ModelFile = { name: 'data_dir', pattern: /^espeak-ng-data$/, isOptional: true }
// Of two for English the American one: the first entry of a word counts.
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

/** Rules for numbers and dates are applied one after the other: a telephone number is a number as well, and so is a date. */
const RULES: readonly ModelFile[] = [
  { name: 'rule_fsts', pattern: /\.fst$/, isOptional: true, isList: true, first: [/phone/, /date/, /number/] },
  { name: 'rule_fars', pattern: /\.far$/, isOptional: true, isList: true },
]

/** What every family may have. Kokoro's are for Chinese alone, and would be applied to the texts of its English voices as well. */
export const rulesOf = (family: SherpaFamily): readonly ModelFile[] =>
  family === 'kokoro' ? RULES.map((rule) => ({ ...rule, isNamedOnly: true })) : RULES

/** The names that `files` of a block may hold. */
export const fileNamesOf = (family: SherpaFamily): string[] =>
  [...FAMILIES[family].files, ...rulesOf(family)].map(({ name }) => name)
