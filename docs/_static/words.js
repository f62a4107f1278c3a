// Cuts what is typed into the search box into words, as the index is: Chinese has no blanks between them.
// Loaded before Sphinx's searchtools.js, which then keeps this splitQuery. Single characters that stand together are one
// word that the browser did not know (庭审); one that stands alone would only hide pages, since every word must be found.
var splitQuery = (query) => {
  const single = /^\p{Script=Han}$/u;
  const words = [];
  let run = "";
  for (const part of new Intl.Segmenter("zh", { granularity: "word" }).segment(query + " ")) {
    if (single.test(part.segment)) run += part.segment;
    else {
      if (run.length > 1) words.push(run);
      if (part.isWordLike) words.push(part.segment);
      run = "";
    }
  }
  return words;
};

// Sphinx 9.0 asks for a stemmer of this name and ships none: Latin words of Chinese pages are indexed by the English one.
function ChineseStemmer() {
  return new EnglishStemmer();
}
