import { useState } from 'preact/hooks'
import { useAction } from '../api/use-action.ts'
import type { Entry } from '../lexicon/entries.ts'
import type { ReadingQuestion } from '../reading/use-reading.ts'

const load = async () => {
  const [{ ReadingPanel }, { TeachDialog }] = await Promise.all([
    import('../reading/reading-panel.tsx'),
    import('../reading/teach-dialog.tsx'),
  ])
  return { ReadingPanel, TeachDialog }
}

/** The text as it will be read, at a press: files of their own, which most visits never open. */
export function useReadingPanel(question: ReadingQuestion) {
  const [parts, setParts] = useState<Awaited<ReturnType<typeof load>> | null>(null)
  const [isOpen, setOpen] = useState(false)
  const [word, setWord] = useState<Entry | null>(null)
  const [changes, setChanges] = useState(0)
  const toggle = useAction(async () => {
    if (parts === null) setParts(await load())
    setOpen(!isOpen)
  })
  const panel = isOpen && parts !== null && <parts.ReadingPanel {...question} changes={changes} onWord={setWord} />
  const dialog = word !== null && parts !== null && (
    <parts.TeachDialog word={word} onSaved={() => setChanges(changes + 1)} onClose={() => setWord(null)} />
  )
  return { isOpen, toggle, panel, dialog }
}
