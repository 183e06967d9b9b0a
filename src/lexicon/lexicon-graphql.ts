import { holdsIn } from '../access/require.ts'
import { LIBRARY_SCOPE } from '../access/scopes.ts'
import { AccountRef } from '../accounts/account-graphql.ts'
import { builder, result } from '../graphql/builder.ts'
import { queriedBy } from '../graphql/resolved-by.ts'
import { type LexiconInput, lexicon, MAX_ENTRIES, setLexicon } from './account-lexicon.ts'
import type { LexiconEntry } from './compile-lexicon.ts'

const ENTRIES_PER_COST = 10
const NEEDS = 'Needs the scope voice:library, or a signed-in user.'
const LANGUAGE = 'Language in which the entry holds, such as `English`; it holds in all languages without one.'
const GRAPHEME = 'Word, or several words. With a capital letter it matches exactly, else in any case.'
const ALIAS = 'Text that is said instead.'

const EntryRef = builder.objectRef<LexiconEntry>('LexiconEntry').implement({
  description: 'Word, and what is said instead of it.',
  fields: (t) => ({
    language: t.string({ nullable: true, description: LANGUAGE, resolve: ({ language }) => language ?? null }),
    grapheme: t.exposeString('grapheme', { description: GRAPHEME }),
    alias: t.exposeString('alias', { description: ALIAS }),
  }),
})

const EntryInput = builder.inputType('LexiconEntryInput', {
  description: 'Word, and what is said instead of it.',
  fields: (t) => ({
    language: t.string({ description: LANGUAGE }),
    grapheme: t.string({ required: true, description: GRAPHEME }),
    alias: t.string({ required: true, description: ALIAS }),
  }),
})

const LexiconRef = builder.prismaObject('Lexicon', {
  description: 'Lexicon of an account: how words are said.',
  select: { accountId: true, entries: true },
  fields: (t) => ({
    id: t.exposeID('accountId', { description: 'Id of the account, which has this one lexicon.' }),
    entries: t.field({
      type: [EntryRef],
      description: 'Entries in the order in which they were sent; at most 10,000.',
      extensions: { length: MAX_ENTRIES / ENTRIES_PER_COST },
      resolve: ({ entries }) => entries as LexiconEntry[],
    }),
  }),
})

builder.prismaObjectField(AccountRef, 'lexicon', (t) =>
  t.relation('lexicon', {
    type: LexiconRef,
    nullable: true,
    description: 'Lexicon of the account. Null if it has none, or if the caller may not read it.',
    seenBy: (ctx, { id }) => holdsIn(ctx, id, LIBRARY_SCOPE),
  }),
)

builder.queryField('lexicon', (t) =>
  t.prismaField({
    description: `Lexicon of the caller's account; empty if there is none. ${NEEDS}`,
    ...queriedBy(LexiconRef, lexicon, () => ({})),
  }),
)

builder.mutationField('setLexicon', (t) =>
  t.prismaField({
    errors: result('New lexicon', 'the lexicon stays as it is'),
    description: `Replaces the account's lexicon as a whole; a large one goes to \`PUT /api/v1/lexicon\`. ${NEEDS}`,
    args: {
      entries: t.arg({ type: [EntryInput], required: true, description: 'Entries of the lexicon, all of them.' }),
    },
    ...queriedBy(LexiconRef, setLexicon, (args: LexiconInput) => args),
  }),
)
