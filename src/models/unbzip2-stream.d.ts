declare module 'unbzip2-stream' {
  /** A stream in the style of Node.js 0.8, which pauses and resumes. */
  function unbzip2Stream(): NodeJS.ReadWriteStream
  export = unbzip2Stream
}
