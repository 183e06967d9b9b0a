declare module 'sentencex' {
  /** The sentences of a text, without the white space around them. */
  const segment: (languageCode: string, text: string) => string[]

  // biome-ignore lint/style/noDefaultExport: this is what the package exports
  export default segment
}
