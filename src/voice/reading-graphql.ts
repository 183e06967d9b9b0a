import { builder } from '../graphql/builder.ts'
import { resolvedBy } from '../graphql/resolved-by.ts'
import type { Reading } from '../reading/scan.ts'
import { type LanguageReading, type ReadingInput, reading } from './reading.ts'

/** Reading a text of 10,000 characters takes up to 5 ms of the process. */
const READING_COST = 200
/** A long text of running words has about as many. */
const USUAL_TOKENS = 500

const TokenRef = builder.objectRef<Reading['tokens'][number]>('ReadingToken').implement({
  description: 'Part of a text that is spoken in other words than it is written in.',
  fields: (t) => ({
    start: t.exposeInt('start', { description: 'Number of Unicode characters of the text before it.' }),
    length: t.exposeInt('length', { description: 'Number of Unicode characters of the text that it covers.' }),
    kind: t.exposeString('kind', {
      description: 'Class of the part, such as `cardinal`, `money` or `date`. Later versions may add others.',
    }),
    spoken: t.exposeString('spoken', { description: 'Words that are spoken; empty if it is silent.' }),
  }),
})

const ReadingRef = builder.objectRef<LanguageReading>('Reading').implement({
  description: 'Text as it is spoken.',
  fields: (t) => ({
    spoken: t.exposeString('spoken', { description: 'Spoken words of the whole text.' }),
    language: t.exposeString('language', { description: 'Language in which the text is read, such as `English`.' }),
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
      'Words in which a text is spoken: numbers, dates, amounts, abbreviations and symbols. Nothing is charged. Needs the scope generate:voice, or a signed-in user.',
    args: {
      text: t.arg.string({
        required: true,
        description: 'Text without markup, at most as long as the endpoint takes.',
      }),
      language: t.arg.string({
        description: 'Language of the text, such as `English`, or `auto`; detected without one.',
      }),
      slug: t.arg.string({ description: 'Slug of the endpoint that is to speak the text.' }),
    },
    ...resolvedBy(reading, (args: ReadingInput) => args),
    extensions: { verb: reading, cost: READING_COST },
  }),
)
