/** Vite bundles the file as a script of its own, and imports its address. */
declare module '*?worker&url' {
  const address: string
  // biome-ignore lint/style/noDefaultExport: this is what Vite exports
  export default address
}
