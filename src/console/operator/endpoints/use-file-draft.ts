import { useState } from 'preact/hooks'
import { session } from '../../api/session.ts'
import { unsaved } from '../../shell/unsaved.ts'

/** In the place of a slug, which never begins with it. */
export const NEW = '~new'

/** A file that is being changed, and what was stored when that began. */
interface FileDraft {
  readonly stored: string
  readonly source: string
}

/** By slug: not applied yet, also while other screens are open. They go with the page, which another user's session begins anew. */
const drafts = new Map<string, FileDraft>()

/** The browser asks before the page goes with them; not where a user leaves it by signing out, which has asked before. */
const askFirst = (event: Event): void => {
  if (session.peek() !== undefined) event.preventDefault()
}

function keep(slug: string, draft: FileDraft | null): void {
  if (draft === null) drafts.delete(slug)
  else drafts.set(slug, draft)
  unsaved.value = drafts.size > 0 ? 'An endpoint file that you have changed is not applied: it is lost.' : null
  if (drafts.size > 0) addEventListener('beforeunload', askFirst)
  else removeEventListener('beforeunload', askFirst)
}

/** The caller has deleted the endpoint. */
export const forgetDraft = (slug: string): void => keep(slug, null)

export interface EditedFile {
  readonly source: string
  readonly isUnsaved: boolean
  /** True if the stored file has changed since the draft began. */
  readonly hasMoved: boolean
  readonly change: (source: string) => void
  readonly undo: () => void
  /** It stays in sight until what is stored now has come. */
  readonly applied: () => void
}

/** The file of a slug as its user has left it; where nothing is changed, it follows what is stored. */
export function useFileDraft(slug: string, stored: string): EditedFile {
  const [draft, setDraft] = useState(() => drafts.get(slug) ?? null)
  const [sent, setSent] = useState<FileDraft | null>(null)
  const set = (next: FileDraft | null): void => {
    keep(slug, next)
    setDraft(next)
    setSent(null)
  }
  const shown = draft ?? (sent?.stored === stored ? sent : null)
  return {
    source: shown?.source ?? stored,
    isUnsaved: draft !== null,
    hasMoved: draft !== null && draft.stored !== stored,
    change: (source) => set(source === stored ? null : { stored: draft?.stored ?? stored, source }),
    undo: () => set(null),
    applied: () => {
      set(null)
      setSent(draft && { ...draft, stored })
    },
  }
}
