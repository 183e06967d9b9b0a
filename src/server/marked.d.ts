/** The part of the package that the documentation takes. */
declare module 'marked' {
  /** HTML of a document in GitHub's Markdown. */
  export function parse(markdown: string): string
}
