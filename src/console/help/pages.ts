/** A piece of text, plain or marked. A link leads to a page of help as `voices#markup`, or elsewhere as a whole URL. */
export type Inline =
  | string
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'strong' | 'em'; readonly of: readonly Inline[] }
  | { readonly kind: 'link'; readonly href: string; readonly of: readonly Inline[] }
  | { readonly kind: 'break' }

export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly id: string; readonly of: readonly Inline[] }
  | { readonly kind: 'paragraph'; readonly of: readonly Inline[] }
  | { readonly kind: 'code'; readonly language: string; readonly text: string }
  | { readonly kind: 'list'; readonly isOrdered: boolean; readonly items: readonly (readonly Block[])[] }
  | {
      readonly kind: 'table'
      readonly head: readonly (readonly Inline[])[]
      readonly rows: readonly (readonly (readonly Inline[])[])[]
    }

/** An entry of the contents. */
export interface HelpEntry {
  /** As the address names it. */
  readonly name: string
  readonly title: string
  readonly headings: readonly { readonly id: string; readonly text: string }[]
}

export interface HelpGroup {
  readonly title: string
  readonly entries: readonly HelpEntry[]
}

// packaging/help-pages.ts puts the pages of docs/ in the place of this file's values when the console is built.
export const groups: readonly HelpGroup[] = []
export const pages: Readonly<Record<string, () => Promise<{ readonly blocks: readonly Block[] }>>> = {}
