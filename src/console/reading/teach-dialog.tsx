import { type Entry, keyOf } from '../lexicon/entries.ts'
import { EntryDialog } from '../lexicon/entry-dialog.tsx'
import type { WordVoice } from '../lexicon/hear-buttons.tsx'
import { useLexicon } from '../lexicon/use-lexicon.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Failure } from '../parts/failure.tsx'

interface TeachDialogProps {
  /** The written word, with the words in which it is read. */
  readonly word: Entry
  /** Who says it where it is heard. */
  readonly voice?: WordVoice | undefined
  readonly onSaved: () => void
  readonly onClose: () => void
}

/** The lexicon's dialog for a word of the text. It changes the word's entry if there is one. */
export function TeachDialog({ word, voice, onSaved, onClose }: TeachDialogProps) {
  const { list, entries, save } = useLexicon()
  if (list.data !== null) {
    const keys = [keyOf(word), keyOf({ ...word, language: null })]
    const entry = keys.flatMap((key) => entries.find((one) => keyOf(one) === key) ?? [])[0] ?? null
    const saveWord: typeof save = async (change) => {
      await save(change)
      onSaved()
    }
    return <EntryDialog {...{ entry, entries, voice, onClose }} begin={word} save={saveWord} />
  }
  if (list.failure === null) return null
  return (
    <Dialog title="Add a word" onClose={onClose}>
      <Failure failure={list.failure} onRetry={list.reload} isAskedAgain />
    </Dialog>
  )
}
