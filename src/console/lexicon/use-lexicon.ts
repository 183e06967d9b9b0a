import { ask } from '../api/ask.ts'
import { useQuery } from '../api/use-query.ts'
import { lexicon as lexiconQuery, setLexicon } from '../operations.ts'
import { type Entry, inputOf } from './entries.ts'

/** Applies a change to the newest entries and stores them. @throws ApiError */
export type Save = (change: (entries: readonly Entry[]) => readonly Entry[]) => Promise<void>

/** The entries as they were loaded or stored last, and how they are changed. */
export function useLexicon() {
  const list = useQuery(lexiconQuery, {})
  const entries = (list.data?.lexicon.entries ?? []) as readonly Entry[]
  const save: Save = async (change) => {
    // It is stored as a whole: another user may have changed it since it was shown.
    const newest = (await ask(lexiconQuery, {})).lexicon.entries as readonly Entry[]
    const { setLexicon: lexicon } = await ask(setLexicon, { entries: inputOf(change(newest)) })
    list.replace(() => ({ lexicon }))
  }
  return { list, entries, save }
}
