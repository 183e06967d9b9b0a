import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Editor } from './editor.ts'
import type { Endpoint } from './endpoints.ts'
import type { Hearing } from './hearing.ts'

/** The dialog that is open over the page. */
export type Opened =
  | { readonly name: 'project' | 'cast' | 'versions' | 'theirs' }
  | { readonly name: 'chapter' | 'paragraph' | 'takes' | 'delete-chapter'; readonly key: string }
  | { readonly name: 'word'; readonly key: string; readonly word: string }
  | { readonly name: 'again'; readonly word: string }

/** All that the parts of the editor share. It stays the same object, so that a change of the text draws one paragraph. */
export interface Studio {
  readonly editor: Editor
  readonly hearing: Hearing
  /** As of the last look. */
  readonly endpoints: () => readonly Endpoint[]
  readonly show: (opened: Opened) => void
  /** Speaks paragraphs anew; what fails is said on the page. */
  readonly speak: (keys: readonly string[]) => void
}

const StudioContext = createContext<Studio | null>(null)
export const StudioProvider = StudioContext.Provider

export function useStudio(): Studio {
  const studio = useContext(StudioContext)
  if (studio === null) throw new Error('outside of the editor')
  return studio
}
