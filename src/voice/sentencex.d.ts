declare module 'sentencex' {
  const segment: (languageCode: string, text: string) => string[]

  // biome-ignore lint/style/noDefaultExport: this is what the package exports
  export default segment
}
