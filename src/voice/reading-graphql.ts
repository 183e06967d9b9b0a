import { builder } from '../graphql/builder.ts'
import { resolvedBy } from '../graphql/resolved-by.ts'
import { type LanguageReading, type ReadingInput, type ReadingToken, reading } from './reading.ts'

/** Reading a text of 10,000 characters takes up to 5 ms of the process. */
const READING_COST = 200
/** A long text of running words has about as many. */
const USUAL_TOKENS = 500

const TokenRef = builder.objectRef<ReadingToken>('ReadingToken').implement({
  description: 'Part of a text that is spoken in other words than it is written in.',
  fields: (t) => ({
    start: t.exposeInt('start', { description: 'Number of Unicode characters of the text before it.' }),
    length: t.exposeInt('length', { description: 'Number of Unicode characters of the text that it covers.' }),
    kind: t.exposeString('kind', {
      description:
        'Class of the part, such as `cardinal`, `money` or `date`; `lexicon` for an entry of the account. Later versions may add others.',
    }),
    spoken: t.exposeString('spoken', { description: 'Words that are spoken; empty if it is silent.' }),
  }),
})

const ReadingRef = builder.objectRef<LanguageReading>('Reading').implement({
  description: 'Text as it is spoken.',
  fields: (t) => ({
    spoken: t.exposeString('spoken', { description: 'Spoken words of the whole text.' }),
    language: t.exposeString('language', {
      description:
        'Language in which the text is read, such as `English`; `auto` if nothing tells it and the engine is to decide.',
    }),
    tokens: t.field({
      type: [TokenRef],
      description: 'Parts that are spoken in other words than they are written in, in the order of the text.',
      extensions: { length: USUAL_TOKENS },
      resolve: ({ tokens }) => [...tokens],
    }),
  }),
})

builder.queryField('reading', (t) =>
  t.field({
    type: ReadingRef,
    description:
      'Words in which a text is spoken: numbers, dates, amounts, abbreviations and symbols. With an endpoint, those that its engine gets of a job: with its markup, the lexicon of the account and its `text_normalization`. Nothing is charged. Needs the scope generate:voice, or a signed-in user.',
    args: {
      text: t.arg.string({
        required: true,
        description: 'Text as the endpoint takes it, at most as long.',
      }),
      language: t.arg.string({
        description: 'Language of the text, such as `English`, or `auto`; detected without one.',
      }),
      slug: t.arg.string({ description: 'Slug of the endpoint that is to speak the text.' }),
      voice: t.arg.string({
        description: 'Slug of a voice of that endpoint, not without `slug`; its first one if not given.',
      }),
    },
    ...resolvedBy(reading, (args: ReadingInput) => args),
    extensions: { verb: reading, cost: READING_COST },
  }),
)
