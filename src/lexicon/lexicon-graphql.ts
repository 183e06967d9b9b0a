import { builder } from '../graphql/builder.ts'
import { queriedBy } from '../graphql/resolved-by.ts'
import { type LexiconInput, lexicon, MAX_ENTRIES, setLexicon } from './account-lexicon.ts'
import type { LexiconEntry } from './compile-lexicon.ts'

const ENTRIES_PER_COST = 10
const NEEDS = 'Needs the scope voice:library, or a signed-in user.'
const LANGUAGE = 'The language in which it holds, such as English; in all of them without one.'
const GRAPHEME = 'A word or several. With a capital in it, it stands for exactly that, else for itself in any case.'
const ALIAS = 'What is said instead.'

const EntryRef = builder.objectRef<LexiconEntry>('LexiconEntry').implement({
  description: 'A word, and what is said instead of it.',
  fields: (t) => ({
    language: t.string({ nullable: true, description: LANGUAGE, resolve: ({ language }) => language ?? null }),
    grapheme: t.exposeString('grapheme', { description: GRAPHEME }),
    alias: t.exposeString('alias', { description: ALIAS }),
  }),
})

const EntryInput = builder.inputType('LexiconEntryInput', {
  description: 'A word, and what is said instead of it.',
  fields: (t) => ({
    language: t.string({ description: LANGUAGE }),
    grapheme: t.string({ required: true, description: GRAPHEME }),
    alias: t.string({ required: true, description: ALIAS }),
  }),
})

const LexiconRef = builder.prismaObject('Lexicon', {
  description: 'How the words of an account are said.',
  select: { entries: true },
  fields: (t) => ({
    entries: t.field({
      type: [EntryRef],
      description: 'In the order in which they were sent; at most 10,000.',
      extensions: { length: MAX_ENTRIES / ENTRIES_PER_COST },
      resolve: ({ entries }) => entries as LexiconEntry[],
    }),
  }),
})

builder.queryField('lexicon', (t) =>
  t.prismaField({
    description: `The account's lexicon; empty where there is none. ${NEEDS}`,
    ...queriedBy(LexiconRef, lexicon, () => ({})),
  }),
)

builder.mutationField('setLexicon', (t) =>
  t.prismaField({
    errors: {},
    description: `Replaces the account's lexicon as a whole; a large one goes to \`PUT /api/v1/lexicon\`. ${NEEDS}`,
    args: { entries: t.arg({ type: [EntryInput], required: true, description: 'All entries.' }) },
    ...queriedBy(LexiconRef, setLexicon, (args: LexiconInput) => args),
  }),
)
