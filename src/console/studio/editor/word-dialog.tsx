import { useAction } from '../../api/use-action.ts'
import type { WordVoice } from '../../lexicon/hear-buttons.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { count } from '../../parts/format.ts'
import { TeachDialog } from '../../reading/teach-dialog.tsx'
import { placeOf } from '../model/edit.ts'
import { allParagraphs, type Project, settingsOf } from '../model/project.ts'
import { useStudio } from './context.ts'
import { type Endpoint, endpointOf } from './endpoints.ts'
import { costOfKeys } from './missing.ts'

interface WordDialogProps {
  readonly paragraphKey: string
  readonly word: string
  readonly onSaved: (word: string) => void
  readonly onClose: () => void
}

/** The lexicon's dialog for a word of a paragraph, heard in the voice of that paragraph. */
export function WordDialog({ paragraphKey, word, onSaved, onClose }: WordDialogProps) {
  const { editor, endpoints } = useStudio()
  const voice = voiceOf(editor.project.peek(), paragraphKey, endpoints())
  return (
    <TeachDialog
      word={{ language: null, grapheme: word, alias: '' }}
      voice={voice}
      onSaved={() => onSaved(word)}
      onClose={onClose}
    />
  )
}

function voiceOf(project: Project, key: string, endpoints: readonly Endpoint[]): WordVoice | undefined {
  const place = placeOf(project, key)
  const chapter = place && project.chapters[place.chapter]
  const paragraph = chapter?.paragraphs[place?.paragraph ?? 0]
  if (!chapter || !paragraph) return undefined
  const settings = settingsOf(project, chapter, paragraph)
  const endpoint = endpointOf(endpoints, settings)
  if (endpoint === undefined) return undefined
  const voice = settings.voice ?? endpoint.voices[0]?.slug
  return {
    endpoint: endpoint.slug,
    inputs: { ...settings.inputs, ...(voice !== undefined && { [endpoint.voiceInput]: voice }) },
  }
}

interface AgainDialogProps {
  readonly word: string
  readonly onClose: () => void
}

/** A lexicon changes nothing that is spoken already: the paragraphs with the word may be spoken again. */
export function AgainDialog({ word, onClose }: AgainDialogProps) {
  const { editor, endpoints, speak } = useStudio()
  const project = editor.project.peek()
  const keys = allParagraphs(project).flatMap(({ key, text }) =>
    text.includes(word) && editor.takes.of(key).peek().length > 0 ? [key] : [],
  )
  const cost = costOfKeys(project, new Set(keys), endpoints())
  const again = useAction(async () => {
    speak(keys)
    onClose()
  })
  return (
    <Dialog title={`“${word}” is taught`} onClose={onClose}>
      <div class="stack">
        <p class="prose">
          {keys.length === 0
            ? 'It is spoken so from now on.'
            : `${count(keys.length)} ${keys.length === 1 ? 'paragraph' : 'paragraphs'} with it ${keys.length === 1 ? 'was' : 'were'} spoken before.`}
        </p>
        <div class="row end">
          <button type="button" class="button" onClick={onClose}>
            {keys.length === 0 ? 'Close' : 'Keep as it is'}
          </button>
          {keys.length > 0 && (
            <button type="button" class="button primary" onClick={() => void again.run()}>
              Speak {keys.length === 1 ? 'it' : 'them'} again · {count(cost)} credits
            </button>
          )}
        </div>
      </div>
    </Dialog>
  )
}
